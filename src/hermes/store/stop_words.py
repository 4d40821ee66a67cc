"""The words every sentence has, whatever it is about, by language."""

STOP_WORDS = {
    "english": """
        a about after again all also am an and any are as at be because been before being between both but by
        can could d did didn do does doing don down during each few for from further had has have having he
        her here hers him his how i if in into is it its itself just ll m me more most my myself no nor not of
        off on once only or other our ours out over own re s same she should so some such t than that the
        their theirs them then there these they this those through to too under until up ve very was we were
        what when where which while who whom why will with would you your yours
    """,
    "german": """
        aber alle als am an auch auf aus bei bin bis da das dass dein dem den der des die dir du ein eine
        einem einen einer er es für hat hatte hatten haben habe ich ihr im in ist ja kann kein keine mein mich
        mir mit nach nicht noch nur oder sein sich sie sind so um und uns unser vom von vor war waren warum
        was wann wie wir wird wo wer welche welcher welches zu zum zur über
    """,
    "french": """
        au aux avec ce ces cette comment dans de des du elle elles en est et il ils j je l la le les leur lui
        ma mais me mes moi mon n ne nos notre nous on ou où par pas pour pourquoi qu quand que quel quelle
        quelles quels qui quoi s sa se ses son sont sur ta te tes toi ton tu un une vos votre vous y à été
        avait avons
    """,
    "spanish": """
        a al como con cuál cuando cuándo cómo de del donde dónde el ella ellos en era es esa ese esta este
        está fue ha hay la las lo los me mi mis muy no nos nosotros o para pero por porque que qué quien quién
        se ser si sin sobre su sus te tu tus un una y ya yo había hemos
    """,
    "portuguese": """
        a ao aos as com como da das de do dos e ela ele em era essa esse esta este eu foi há isso já mas me
        meu minha na nas no nos não o onde os ou para pela pelo por porque quando que quem qual se sem ser seu
        sua são também te um uma você
    """,
    "italian": """
        a al alla anche che chi ci come con cosa da dal dei del della di dove e era gli ho i il in io la le lo
        ma mi mio ne nei nella noi non o per perché più quale quando quello questo se si sono su sua suo ti
        tra tu un una
    """,
    "dutch": """
        aan als bij dat de deze die dit door een en er het hij hoe ik in is je maar me met mijn naar niet nog
        of om onze ook op over te tot uit van voor waar waarom was wat we wel wie wij wanneer zijn zo
    """,
    "russian": """
        а без бы был была были было в вам вас весь во вот вы где да для до его ее если есть еще же за и из или
        им их к как какой когда кто ли мне мы на над не нет но ну о об он она они от по под при с со так там
        то тот ты у уже что чтобы это этот я
    """,
    "swedish": """
        alla att av de den det din du där efter ej eller en er ett för från ha han har hon hur här i inte jag
        kan man med min mot när och om oss på sig ska som så till upp ut vad var vem vi vid än är
    """,
}
