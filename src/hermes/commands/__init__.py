"""What can be asked, without any screen: handlers take a store and plain arguments, and return a `Reply`."""
