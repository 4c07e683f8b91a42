// Written by models/train/given_names.py: given names that are no words of the languages with a dictionary. Faker's lists (MIT).
export const GIVEN_NAMES = `aada aage aaliyah aapo aarne aaro aaron aarón abbie abby abdirahman abdullah abdullahi abelardo abelone abigaíl abilio achiel achille
adalbert adalberto adelaida adelardo adelasia adelbert adelgunde adelheid adelia adelin adelina adelinde adeline adelmo adina adnan adolf
adolfine adolfo adriaan adrian adriana adriane adrianna adriano adrien adrienn adrienne adrijana adrián adriána adéla adélaïde aedan aenne
aferdita agapito agatha agathe agim agnesa agnese agnieszka agnolo agnès agostina agostino agron agustin ahmad ahmed ahmet aicha aideen
aiden aiko aila aileen aili ailis aimee ainara ainhoa aisha aislinn aitor ajla ajna alanna alannah alastair alberico albertina albertine
alberto albrecht albulena alderano aldo aldonza alec alejandra alejandro aleksandar aleksander aleksandr aleksandra aleksanteri aleksej
alenka aleodor alessandra alessandro alessia alessio alexa alexandar alexandre alexandria alexandrie alexandros alexei alexej aleš alfio
alfonz alfredo alfréd algot alicja alisha alissa alistair alix aljaž aljoša allison almudena almuth alois aloisia alojz alojzia alojzij
alojzija aloys alphons alphonse alvaro alwin alwina alwine alyssa alícia alžbeta alžběta amadeo amalia amalie amalija amancio ambrosio
ambróz amedeo amedeu amira amleto amra amy amza amália amélie américa américo amílcar ana anabel anabella anaida anamaria anastasie
anastasio anastasios anastazja anastázie anatol anatoli anatolie anatolij anaïs ancuța andi andjela andjelina andrada andrea andreas andree
andreea andrei andreia andrej andreja andrejka andrew andrey andri andrian andrija andrin andrzej andrás andré andréas andrée andrés andy
anej aneta anett anette anežka angelique anghel anghelina angie angèle anica anika anikó anișoara ankica anna annabel annabell annabella
annabelle annalena annaliese annalisa annalise annamaria annamarie annamária annedore annegret annegrete annekatrin anneke anneleen annelene
annelie annelies anneliese annelise annelore annemarie annemette annemie annemijn annerose annett annibale annica annick annie anniina
annika annikki annina annita annukka anny anouk ansaldo anselm anselma anselmo ansgar anssi anthony antim antje antoaneta antoin antoine
antoinette antonela antonella antonello antonia antonie antonietta antonija antonio antonios antoniu antonius antonín antti antónia antónio
anuța aníbal anđa anže aodhan aoibheann aoibhin aoibhinn aoife apolena apolonia arben arbnor arcelia ardian ariadna arianna arianne aribert
aristide aristides aristița arkadiusz arlinda armida armin arnaldo arnaud arnaude arnd arndt arnfried arnim arno arnold arnošt arnulf
arnulfo arpád arran arron arsenio arsim artemio arthur arttu artturi arturo aránzazu asafe asbjørn asdrubal asger ashlee ashleigh ashlene
ashley ashling ashton asko astrid astrit atena atenulf athanasios atilio audrey augustín aukusti aulikki aurelio aurélie avni axelle axenia
axinte ayden ayesha aylin aylla aynur ayoub ayse aysel ayten azahara azeglio azeneth azra babett babette baccio bailie baldassare baldomero
balduino baltasar balthasar balázs barbora barnabás bartek bartholomäus bartolomeo bartolomé bashkim basia basti bastiaan bastien baudelio
beatrice beatrijs beatrix beatriz becky bedřich begoña bekir belinda bendegúz benedek benedict benedicte benedikte bengt benicio benjámin
benno benny benoit benoît benício beppe berend berenice berit bernabé bernadett bernadette bernardita bernd berndt bernfried bernhard
bernhardine bernt bernward bertalan bertha berthold bertold bertrand besart besarta besnik beth bethany betina bettina beverley beverly
beáta beňadik bianka bibiána bieke biljana birger birgid birgit birgitt birgitta birgitte birte birthe bjarne bjorn bjørg blaine blake
blanaid blanduzia blažej blerina blerta boaz boban bodil bogomir bohdan bohdana bohumil bohumila bohumír bohuslav bohuslava bohuš boleslav
bonifacio bonifác borys bozena bořivoj boštjan božena božidara bradley branislav branislava brayan breandan breanna brenda brendan breno
brian briana brianna brigid brigita brigitta brigitte britta brittany brittney brogan bronagh bronislava brooke brooklyn brunilda bryan
bujar bukurije burckhard burghard burkard burkhard burkhardt bystrík bálint bärbel béatrice börje bănel błażej břetislav cahal cahir cailin
cailum caitlin caitlyn caitriona caius cajsa caleb calebe calixta callum calogero cameron camil camille camillo cantemir caoilfhionn caoimhe
caoimhin caolan caomhan caragh caren carlijn carlito carlo carlos carly carmela carmen carminho carolien carolin carolyn carrie carsten
casandra casemiro casey casian casiana caspar casper cassidy cathal catharina catherine cathleen cathrin cathrine cathy catia catinca catrin
catrine catrinel catriona cauê cayetana cayetano cazimir cebrián cecile cecilija cecilio cedric cedrin ceferino cerasela ceylin chantal
chantelle charis charlene charline charlott charlotta charlotte chelsea chelsey cherie cherith cheryl chloe chloé chloë christa christel
christelle christer christiaan christiana christiane christianne christie christina christine christl christof christofer christoffer
christoph christophe christopher christos christy chuy cianan ciarrai cilli cillian cilly cindy cintia cinzia ciprian cipriana cipriano
ciriaco ciril cirillo cirino cirkeline ciríaco citlali claas claes claudia claudine claudio claudiu claudius clavs clayton clelia clemens
cleopatra cleto clifford clinton cliodhna clodagh cloe clotilde cláudia cláudio cläre clímaco codin codrin codrina codruța collin colm
coluccio colum conall conan concetta conchita conchur conn connie connor conny conor conrad conrado constantin constanza constanze constança
corey corinna corinne cormac cornel cornelia cornelio cornelis corneliu cornelius corsin cortney cosima cosimo cosme cosmin costache
costantino costanzo costel costin courteney courtney craig crescencia cristea cristian cristina cristobal cristofor cristóbal csaba csilla
csongor ctibor ctirad curdin cynthia cyprian cyprián cyriel cyril cyrill czeslaw cátia cäcilia cäcilie cécile cédric célia céline cătălin
cătălina daan dafina dagmar dagmara dagny dagobert daiana dairine dalibor dalila damaris damian damiano damijan damir damián damjan damjana
danica daniel daniella danielle danijel danijela danique danièle daniël danny danuta danuše darcy dariana darina darinka darius dariusz
darja darko darlene darragh darrell darryl daryl darío david davide davorin dawid dayna deaglan deanna dearbhail dearbhaile dearbhla debbie
debby debora deborah decebal declan deirbhile delphine demeter demetra demetrio denis denisa denise dennis dermot dervla desiree desirée
desmond detlef detlev dewi dex dezider dezső diarmuid dida didina diederik diedrich diego dierk diethard diethelm dietlind dietlinde dietmar
dietrich dijana dilara dillon dimitri dimitrina dimitrios dinis diogo dionigi dionýz ditmar dittmar diána dobromila dobroslav dobroslava
dochia dogan domagoj domenic domenico domhnall dominic dominik dominika dominique domitila domnica donal donatella donatello doreen dorel
dorinel dorle dorli dorota dorotea dorothe dorothea dorothee dorothy dorothée dorottya dorthe dragoș dragutin drahomír drahomíra drahoslav
drahoslava drilon driton duane ducu duilio dumitra dumitrana dumitru duncan dusan dustin duuk dušan dušanka dwayne dylan dylano dániel dávid
dáša débora déborah dénes dörte dörthe eadaoin eamon eamonn eberhard eberhardt ecaterina eckard eckart eckehard eckhard eckhardt eckhart
edelbert edelmira edelmiro edeltraud edeltraut edeltrud edgar edgard edgardo edith editha edmond edmundo edoardo edona edouard eduard edvard
edward edwin eelis eemeli eemil eerik eero eetu eeva efraín eftimia eftimie egbert eggert egil egzona ehrenfried ehrentraud ehrhard eija
eila eileen eilis eilish eimear eimhear einari eino eirik eivind eivor ekaterina ekkehard ekkehart ekrem eladio elaine elba elea eleanor
eleanora elena elenore eleonor eleonora eleonore eleonóra elfriede elia elias elien eligio eliisa elijah elinor elis elisabet elisabeta
elisabete elisabeth elisabetha elisabetta elisaveta eliseo elisha eliza elizabeta elizabeth eliáš eliška elladio ellie ellinor elliot
elliott elly elna eloah elodie elof eloise eloy eloá eloísa eloïse elpidio elsbeth elsebeth elsie elsy elton elvia elvis elvíra elwira elyas
elza elzbieta eléonore elías elżbieta emanoil emanuel emanuela emanuele emanuella emanuelly emanuil emelie emelina emely emese emiel emigdio
emil emilia emilie emilija emilio emilly emily emma emmanuel emmanuelle emmerich emmett emmy encarnacion encarnita endrit engelbert engla
enikő enis enna ennio enno ensio enver enya enzio enzo eoghan eoin eraldo erasmo ercan erdal erdmute erdogan eremia erhard erhardt erich
erick erik erion erkki erland ermanno ermenegildo ernest ernestine ernesto ernő erol ervin ervín erwan erwin eryk eryn erzsébet esben esila
eskil esmarelda esmee esmée espartaco espiridión esra estefanía esther eszter etela etelka etelvina etienne ettore euan eufrosina eugen
eugene eugène eugénia eulalia eunan eunika eusebia eusebio eusebiu eustaquio eustațiu eutropio eva evald evamaria evan evangelina evangelos
evanghelina evaristo evelien eveliina evelin eveline evelio evelyn evelyne evelína evie evy ewa ewald ewan ewelina ezequiel ezio fabiola
fabián fabiënne fabricio fabrizia fadil fadime fainche fatiha fatima fatime fatmir fatmire faton faye feargal fearghal febe federigo
feliciana feliciano feliks felipa felisa felix felizitas femke fenna ferdinand ferdinando ferenc fergal fergus fermín fernand fernanda
fernande fernando fien fiene filippa filippo filofteia filoména fiodor fiona fionntan fionnuala fiorenzo fitore flamur flavia flavio flaviu
flemming floortje florencia florencio florent florența florian floriane florica florinda florián flurin flurina folkert fran frances
francesca francesco francine francisc francisco franciscus franciska franciszek franck francoise františka franz franziska françois
françoise frančišek frauke freddy frederic frederick frederico frederik frederikke frederique fredi fredo fredric fredrik fredrika fredy
freja freya frida fridrich frieda friedbert friedemann friedericke friederike friedhelm friedhilde friedhold friedl friedlinde friedo
friedrich frithjof frusina frédéric frédérique fulgencio fynn fábio fátima félix gabor gabriel gabriela gabriele gabriella gabrielle
gabrielly gabriël gail galasso galina gareth garrett garry gastón gavin gazmend gaëlle geanina gebhard gejza gelsomina geneviève gennaro
genoveva geoffrey georg george georgel georges georgeta georgios gerald geraldo gerard gerarda gerardo gerardus gerda gereon gerfried
gergely gergő gerhard gerhardt gerhart gerhild gerlind gerlinde gernot gerolf geronimo gerrit gerry gert gerta gerti gertraud gertraude
gertraut gertrud gertrude gertrudis gertrúda gervasio gerwin gerónimo gesa gesche gesine ghenadie gheorghe gheorghiță ghislain ghislaine
ghiță giampaolo giampiero gian giancarlo gianfranco gianina gianluca gianluigi gianmarco gianpaolo gianpietro gicu gică giel giesela gijs
gilberte gilberto gillian gillis ginette ginevra gino gioacchino gioele gioffre gion gionata giorgia giorgian giorgiana giorgio giosuè
giovanna giovanni girolamo gisa gisbert gislinde gisèle giulia giulietta giulio giuseppa giuseppe giuseppina giustino gizela gizella gladys
glenda glenn godelieva godelieve godofredo goffredo gonzalo gonçalo goran gorazd gordana gosia gottfrid gottfried gotthard gotthilf gotthold
gottlieb graciela graeme grainne grazyna grațian grațiana grațiela greg greger gregg gregor gregorio gregory gretchen gretel grethe gretl
grigore griselda grzegorz grégoire gréta guadalupe gudrun gudula guenter guenther guglielmo guillermina guillermo guiomar guiseppe gunar
gunborg gundel gundhild gundolf gundula gunhild gunilla gunn gunnar gunther guntram gunvor gurli gustaaf gustaf gustav gustaw gustáv gusztáv
guus guusje gwenaëlle gwendolyn gyda gyula györgy gzim gábor géraldine gérard géza gökhan göran gösta götz gülay gülten günter günther
hadassa hailey hajo haley hamish hampus hamza hanife hanna hannah hannchen hannele hannelore hanny hansgeorg hansjoachim hansjörg hansjürg
hansjürgen hanspeter hansruedi hansueli haralamb haralambie harald harold haroldo harriet harro hartmut hartmuth hartwig harun harvey hatice
hayden haydée hayleigh hayley hedda hedi hedvig hedviga hedvika hedwig hedy heidelinde heidelore heidemarie heiderose heidi heidrun heidy
heike heikki heiko heinfried heino heinrich heinz heitor helfried heliodoro hellena hellmut hellmuth helmar helmtrud helmuth heloisa heloísa
helén heléne henk henner henning henric henrich henricus henrieta henrietta henriette henrik henrike henrikki henrique heracleea heraclio
herbert herberto heribert heriberto herman hermann hermelinda hermenegildo herminia herminio hermína hernando hernán herrmann herta hertha
herwig hidde hilary hildburg hildegard hildegart hildegund hildegunde hillevi hilma hilmar hiltraud hiltrud hinrich hjalmar hjördis holger
hollie homero horacio horațiu horymír howard hrvoje hubert hubertine hugh hugo hugues huguette humberto hunor hussein hynek håkan håkon
håvard héctor hélène hüseyin iacob iain iancu ianis iasmina iben ibrahim ibán idriz ieremia ignace ignacia ignacio ignacy ignatz ignaz
ignazio ignác igor iida iisakki iker ilarie ilarion ildiko ildikó ilenia ilias ilie ilija ilinca ilka ilkka ilmari ilonka ilyas imer imke
imran imre imrich inaya indira ines inez ingalill ingbert ingeborg ingeburg ingegerd ingegärd ingela ingelise ingelore ingemar ingetraud
ingetraut ingrid ingried inken inkeri inocencio inocențiu insa inès inês ioan ioana ioanina ioannis iolanda ionela ionelia ionuț iosefina
iosif ippazio iridenta irinel irja irmela irmeli irmengard irmgard irmhild irmi irmingard irmtraud irmtraut irmtrud iryna irène irén iréne
isaac isabel isabell isabella isabelle isabelly isac isadora isaiah isak isaque isaías isidor isidro ismael isolde istvan istván itzel
itziar iulia iuliu iurie iustin iustina iustinian ivanka ivano iveta ivka ivona ivonne iván iwona izabela izidor iñaki iľja jaak jaakko
jaana jacek jacinta jackie jackson jaclyn jacob jacopo jadranka jadwiga jael jafet jaime jakob jakub jalmari jamal jana janeta janett
janette janez jani janic janice janick janik janin janina janine janko jann janna janne janni jannie jannik jannis janosch janusz jaqueline
jared jarkko jarlath jarne jarno jarolím jaromír jaromíra jaron jaroslav jaroslava jaroslaw jasminka javier javiera jayda jayde jayden
jaylinn jayne jayson jazmin jaël jeana jeanette jeanine jeanne jeannine jef jeff jeffery jeffrey jelte jenaro jenel jenna jenni jennie
jennifer jenő jeremi jeremiah jeremy jerguš jerica jermaine jerneja jeroen jerome jeronimo jerzy jesper jesse jessica jessie jessika jessy
jesusa jesús jil jill jillian jimena jimmie jimmy jindřich jindřiška jinthe jiri jitka jiří joachim joacim joakim joan joann joanna joanne
joannes joao joaquim joaquin joaquín jobst jocelyn jocelyne jochem jochen jodie joerg joeri johana johann johanna johanne johannes johnathan
johnnie johny jolana jolanda jolanta jolanthe jolien jolijn joline jolán jonah jonas jonathon jonna jonás jonáš joona joonas joonatan joost
joppe joran jordi jordy joren joris jorma jorn jorunn jose josef josefa josefiina josefin josefine josep josepha josephina josephine
josephus josette joshua josiane josip josipa joso josse jost josua josué josé josée joséphine jouko jouni jovan jovana jovita joyce jozefína
jozo joão joël joëlle joško jožef jožefa jožica juan juanito judit judita judith juergen juhana juhani julia julianna julie juliette
julijana julius juliusz julián juraj jurgen jurij jurre justina justine justus justyna justína jusuf juul juulia juuso jyrki jytte ján jános
jérôme jéssica józef józsef jörg jörgen jörn jørgen júlia jürg jürgen jędrzej kaarlo kaat kacper kaija kaique kaisa kaitlin kaitlyn kajetan
kajsa kalervo kaltrina kamiel kamilly karin karley karlfried karlheinz karlijn karoliina karolina karoline karolína kasia kasimir kaspar
kasper kastriot katariina katarina katarzyna katarína katcha katelijne katelyn katerina kateřina katharina katharine katherina katherine
kathi kathleen kathrin kathryn kathy katie katja katleen katri katrien katriina katrijn katrin katrina katrine kauko kaylee kayleigh
kazimierz kealan keano keelan keely keeva keijo keith kellie kelsey kenan kendra kenn kennet kenneth kenny kenth kerri kerstin khadija
khaled khalid kian kiara kieran kilian killian kimberley kimberly kirby kirsten kirsti kirstie kirstin kirstine kirsty kjeld kjell kjersti
kjetil klaudia klaudie klaus klavdija klemen klemens klement kliment klothilde klára knud kobe koenraad koloman konstanze konštantín
korbinian kordula korinna kornelia kornelius kornél kornélia kreszentia kreszenz kriemhild krista kristel krister kristi kristiaan kristian
kristiane kristie kristien kristiina kristijan kristin kristina kristine kristián kristof kristofer kristoffer kristopher kristy kristína
kristóf kristýna krisztina krisztián krisztofer krištof krystian krystyna kryštof krzysiek krzysztof ksawery ksenija kujtim kullervo
kunibert kunigunda kunigunde kushtrim kustaa kvetoslav kvetoslava květa květoslava kyano kyara kylie kyllikki kyra kálmán károly käte käthe
käthi kévim labinot lacey ladislau ladislaus ladislav ladislava laetitia laila lajos lamberto laoise lara larisa larry lars lascăr laszlo
latasha latoya laura laurence laurens laurent laurenz laurenția laurențiu lauretta laurian lauriane laurie laurin laurits lautaro lavinia
lawrence lazzaro lazăr laís leana leanne leano leart leena leevi leif leigh leire lejla lena lennard lennart lennarth lennert leocadia
leocadio leokadia leon leonard leonardo leoncio leonel leonhard leonid leonie leonor leonora leonore leontin leopold leopolda leopoldine
leopoldo leordean leoš leroy lesana lesia lesley leslie leticia letiția levoslav leyla leyre libuša libuše lică lidija lidwina lieke liesa
liesbet liesbeth lieschen liesel lieselot lieselotte lieze liisa lilian liliana liliane lilijana lilou lindita lindsay lindsey linnéa linus
lioara lioba lionel liridon liridona lisandro lisanne lisbet lisbeth liselott liselotte lissi lissy livia livio liviu liwia lizz lizzy
ljubisa ljudmila lloyd lodewijk lodovico loek logan loida lola lonnie lorcan loredana lorelei lorenz lorenza lorenzo loretta lorik lorin
lorna lothar loui louie louis louisa louise lovre lowe lowie loïc loïs luan luara lubomír luboš luca lucas lucca lucențiu luchino luciano
lucie lucien lucienne lucrezia lucreția lucrețiu lucy lucía ludger ludivine ludmila ludmilla ludolf ludovica ludovico ludovicus ludvik
ludvík ludwig ludwina luděk luigia luigina luisa luisana luitgard luiza lujza lukas lukáš luljeta lulzim lumír lutgardis lutgart luuk luzius
luísa lydia lydie lyndon lyndsay lyndsey lynn lynsey lászló léa léane léo léon léonie lýdia lýdie maaike maaria maarit maarten maartje
macaria macario macauley maciej maciek maddalena madelene madeline mael maeva maeve mafalda magali magarete magda magdalene magdaléna
magdolna maggie magnus magrit mahmoud mahmut mahulena maida maike maiken mairead mairtin maite maitê majken majvor makayla maksimiljan
maksymilian malachy malcolm malgorzata mallory malthe malvína malwina mandy manfred manon manuel manuelita marcell marcelle marcello marcelo
marcus mareike margaret margaretha margarethe margaritha margaud margaux margit margita margitta margot margret margreth margrethe margrit
margrith maria mariah mariana marianela mariangela mariann marianna marianne maribel maricela maricica maricruz marie mariechen marieke
mariele mariella marielle marieluise marietta mariette marijan marijana marijke marijn marika marilena marilyn marinette marinus mario
marioara marisela marisol marissa maristela maritta marius mariusz marián marjaana marjanca marjeta marjorie marjut markku markus markéta
marleen marlene marlies marliese marlise marlon marlyse marlène marnix maroš marta martha marthe martijn martin martina martti martyn maruša
maryline maryse marzena massimiliano mateusz matevž matheo matheus mathew mathias mathieu mathijs mathilda mathis matija matilde matjaž
matouš matteo matthew matthias matthieu matthijs matthäus mattias matts matyáš matías matúš matěj maud maude mauno maureen maurice mauricio
maurilio maurin maurits mauritz maurizio maurus maurycy maximiano maximilian maximilián maximino maysa mayte maël maëlle małgorzata mckenzie
meabh meagan meaghan mechthild mechthilde mechtild meghan mehmet meibh meik meike meinhard meinolf meinrad melanie melchor melichar melinda
melitta melwin melánia merche meredith merethe mergim merijn merja mervi meryem micael micaela michael michaela michaele michail michal
michala michaël michał micheal micheala michel michelangelo michele micheletto michelle michelotto michiel michèle mieke mieszko miguel
miguela miha mihael mihaela mihai mihail mihajlo mihnea mihály miia miika mikael mikaela mikhail mikkel mikko miklós mikuláš milorad
miloslav miloslava miloš miluše mindy minodora miodrag mirco mireia mirela miriam miriama mirja mirjam mirjana mirko mirlinda miron miroslav
miroslava miroslaw miroslawa mirsad mirthe mischa mitchel mitchell mitruț mitzy miłosz mladen mogens mohamad mohamed mohammad mohammed mojca
mojmír monalisa monica monika monique montse montserrat morgan moritz morten muhamed muhamet muhammad muhammed muriel murielle murilo
mustafa mustapha myles myriam myrtha myrthe mária márk márton mátyás märta märtha måns mégane mélanie mélissa mónica mónika móric mădălin
mădălina mărioara măriuca nacio nadeschda nadeshda nadežda nadia nadja nadège naděžda nae nael nahiara nahuel naiara naim nand nanni naoimh
naoise naomh naomi nastja natalia natalie natalija natalio natalja natan natanael nataniel natasa natascha natasha natasja natasza nataša
natașa nath nathalie nathan nathanael nathaniel natália natálie nayara nayeli nazaret nazario nazmi necati nechifor nedda neil nejc nelio
nelli nellie nelu nenad nerea nermin nevenka nevio neža niall niamh nicanor niccolò nichifor nichola nicholas nichole nicklas niclas nicoară
nicodim nicolae nicolai nicolaie nicolaj nicolasa nicole nicoleta nicoletta nicoline nicolás nicolò nicu niculina niculiță nicușor nicuță
niek niels niilo niina nikita niklas niklaus nikodem nikolai nikolaj nikolaos nikolas nikolaus nikolett nikoletta nikolina nikša nilda nils
nina ninetta ninthe noah noelia noemí nolan noora noortje norah norbert norberto notburga noud nout noémi noémie noëlla noëlle noëmi nuala
nuno nuran nuray nurettin nuria nurten nuša nydia nynke nádia nándor nélida néstor nóra núria oana obdulia octav octavian octaviu océane
odalis odalys odeline odette odhran odile ofelia oisin olaf olav olavi oldrich oldřich olegario olena olgierd olimpiu olivie oliviu olivér
oliwer oliwier olli olof olympia olívia ondrej ondřej onofre oona oonagh ophélie orazio oreste orfhlaith orhan orlagh orlaigh orlaith
ornella orsolya ortansa ortrud ortrun ortwin oskar oskari oskár ossian osvald osvaldo oswald oswaldo oswin otakar otfried othmar otilia
otmar ottavio ottfried ottilia ottmar ottokar ottomar ottó otávio otília otýlie ovidio ovidiu owen oxana oľga paavo pablo paco padraic
padraig padraigin paige pam panagachie pankrác paola paoletta paolo paraschiva pasqual patric patrick patryk paul paula paulica pauliina
pauline paulína pauric pavao pavel pavla pawel paweł peadar pearce pearse pedro pelayo pentti pepe pepijn pernilla pernille peter petr petra
petrana petre petrică petrișor petrona petronela petros petru petrus petruț petruța petteri phileine philip philipp philippa phillip
philomena phyllis pierangelo piergiorgio piergiuseppe pierina pierluigi piermaria pierpaolo piersanti piia piotr piotrek pirjo pirkko pirmin
pleun plinio polly pompilia pompiliu pomponio pontus poul pravoslav preben priska przemysław puccio pál päivi päivikki pär pål pénélope
péter pătru přemysl quentin quinn quinty quirino rachael rachelle rachid radek radmila radomír radoslav radoslava radosław radúz rael rafael
rafaela rafaél rafaël rafał raffael raffaela raffaele raffaella raffaellino raffaello rafila ragna ragnar ragner ragnhild raija raik raimo
raimondo raimund raimundo raisa raissa ralf ralph raluca ramiro ramiz randall randolf ranieri raoul raphael raphaela raphaël rareș rasmus
rastislav raul rauno ravy raymond raymonde raymund raúl rebecca rebecka rebekah rebekka reece regan reginald regitse regitze regína reidun
reijo reimar reimund reinald reinaldo reingard reinhart reinhild reinhilde renaat renee renzo renáta reuben rexhep reyna reynaldo rhavi
rhian rhianna rhianne rhiannon rhonda rhys ricarda riccardo ricciotti richardt richárd rickard ricky rigmor riikka riitta rikard riley
rinaldo rinor robby robertina roberto robyn rochus roderich rodney rogelio roksana roland roldán romolo romuald romulus romy ronald ronaldo
ronan ronni ronnie ronny rony ronya roope roosa rory rosalba rosalia rosalinda rosalía rosanna rosaura roseanna rosemarie rosenda rosl
rosmarie ross rossana rostislav roswita roswitha rotraud rotraut rouven roxana roxane roxelana roy rozalia rozalija rozália ruairi ruari
ruben rubén rudolf rudolph ruedi rufino ruggero ruggiero rupert ruperta ruth ruthild ruxanda ruy ruzica ryszard réka rémy róbert rómulo
rúben rüdiger răducu răzvan růžena saar saara sabas sabine sabína sakari saleh salomea samantha samir samira samuele samuli sandalio sander
sandor sandrine sandu sanela sanije sanni santeri saoirse sara sarah sarita sascha sasha saskia saul saverio saša sašo scott seamus seana
seanan seaneen seanna sebastiaan sebastian sebastijan sebastián sebastjan segismundo seija semenica semra senad seona sepp seppo seraina
sereina sergei sergej sergio sergiu sergius serkan servác seth severin severín shaban shana shane shania shanice shanna shannan shannen
shannon shari shaun shauna shauneen shawn shawna shay shea sheena shelby shelia shelley shelly sheree sheri sherri sheryl shirley shpresa
shqipe sibel sidonia sidónia siegbert siegfried sieghard sieglinde siegmar siegmund siegrid siegried siegrun siegward sigfrid sigfrido
sigfried sigismund siglinde sigmar sigmund sigrid sigrun sigurd sigvard siiri silja silje silvestro silvian silviu simen simeon simina
simion simon simonetta simonne sinaida sinan sinead sinică sinikka siniša siobhan siofra sirpa sivert sixten sjoerd skender sladjana slavka
slavko slavomír slavomíra slavěna slawomir smaranda snezana snježana sofia sofie sofija sofía solveig solène songül sonja sonya sophia
sophie soraia soraya sorcha sosimo soňa stacey stacie stacy staffan stancu stanislaus stanislav stanislava stanislaw stanisław stanley stef
stefaan stefan stefani stefania stefanie stefano steffen steffi steinar stelian steliana stellan stephanie stephany stephen sterre steve
stewart stijn stina stjepan stéphane stéphanie susann susanna susannah susanne sussanne sussie suus suzanna suzy svatopluk svatoslav svenja
svenning svetlana svetozár sveva svätopluk swantje swen swetlana sydney sylke sylvana sylvester sylvia sylviane sylvie sylvio sylwia synnøve
szabolcs szilvia szymon sándor sébastien sérgio séverine sónia sönke sören sørine sükrü süleyman tabitha tadej tadeja tadeo tadeusz tadeáš
tahir tamara tammie tamás tarzícius tasha tassilo tatiana tatjana tauno taylor ted teea teija tejs tellervo telmo temistocle tenzin teo
teobaldo teodor teodoro teodosia teofil teohari teona teresa teresia teresita tereza terezija terje teréz terézia teun teuta teuvo teófila
teófilo thaddäus thales thea theda thekla theo theobald theodoor theodor theodora theodore theodoro theodoros theophil theres theresa
therese theresia therése thiago thibaud thibault thibaut thibo thierry thies thijmen thijn thijs thilo thom thomas thor thoralf thorben
thorsten thure théo théodore théophile thérèse tiago tiarna tiarnan tiberia tiberiu tibor tichomír tiegan tiernan tiia tiina tijl tijmen
tijn tijs tillmann tilmann timea timm timmy timothy timothée timéo tincuța tineke tirza titus tivadar tiziana tiziano tjaša tobias tobiáš
todd todor tomasa tomasz tomaž tomek tomislav tommaso tommi tomàs tonicha tonje tonny tonya toralf torben torbjörn torbjørn torgny toribio
torill toño tracey tracy traian traude traudel traudl traugott travis tristan tristán troels trond tuana tudorița tudosia tuomas tuomo
tuukka tuula tuulikki twan tycho tygo tyler tymon tymoteusz tyrone tânia tímea tülay türkan ubaldo uberto ueli ulf ulises ullrich ulrica
ulrich ulrik ulrika ulrike umberto uolevi uriel uroš ursel urszula urša urška uršuľa uschi utz vajèn valdemar valentim valentín valentína
valeri valerie valerij valerija valerio valeriu valero valeska valtteri valère valérie vanesa vania vasil vasilica vasilică vassilios vasyl
vavrinec vedran veera veerle veeti vegard veijo veikko venancio venceslás vendelín vendula veniamin venla verneri veronique vicenta vicenția
vicențiu vicki vickie vicky victória vidal vieroslava viggo viivi viktor vilgot vilhelm vilhelmiina vilhelmina vilho viljami viljem viljo
villads vilma vilmer vilmos vilém vincenc vincentio vincenza vincenzo vincențiu vinicio vinicius vinzenz vinícius viorel viorela virgilio
visarion vittorio viveka vivian vivianne vivien vivienne vjekoslav vjollca vladimir vladimír vladimíra vladislav vlaicu vlasta vlastimil
vlora vlădelina voichița voicu vojtech vojtěch volker volkhard volkmar vratislav václav väinö vítězslav víťazoslav věra walburga waldemar
waldtraut walentina walfried walli walter waltraud waltraut waltrud wannes warre wayne weena wenche wencke wendelin wendolin wendy wenke
wenzel wera werner wesley wessel whitney wibke wiebke wieland wieslaw wigbert wiktor wilfredo wilfrido wilfried wilfriede wilhelm wilhelmina
wilhelmine wilhelmus willem willfried william willibald willibert wilma wilmer wilson wiltrud winfried winnie witold wladimir wojciech
wojtek woldemar wolfgang wolfhard wouter wyatt wálter xander xaver xavi xavier ximena xiomara yael yaiza yanick yanik yanis yann yannic
yannick yannik yannis yasin yasmin yasmina yasmine yassin yassine yda yesenia yfke yilmaz yinthe ylenia ylva ylvie yngve yolande younes
yousef youssef yrjö yrsa yuri yuridia yusuf yvan yves yvette yvonne yésica yéssica zacarías zacharias zacharie zachary zaharia zahra zakaria
zalán zbigniew zbyněk zdenka zdenko zdeněk zdeňka zdislava zdravko zeferino zehnia zehra zeljko zelma zenobia zenovia zenta zeynep ziggy
zikmund zita zoey zofia zoja zoltan zoltán zoraida zorica zorka zosia zoë zsanett zsigmond zsolt zsuzsa zsuzsanna zsófia zuzana ábel ádám
ágatha ágnes águeda ákos álvaro ángela ângela ângelo änne åbjørn åge åsa édgar édith édouard élisabeth élodie éléonore émile émilie éric
érica étienne éva íngrid ísis íñigo óliver ömer örjan östen øivind øjvind ørni øvli øystein øyvind úrsula đuro ľubica ľubomír ľubomíra ľubor
ľuboslav ľuboslava ľuboš ľudmila ľudovít łukasz šarlota šimon štefan štefanija štefica štefka štefánia štěpán štěpánka žan žaneta željka
željko želmíra žigmund žofia žofie șerban ștefan ștefana ștefania аарон августин авдей аверкий аверьян авксентий аврелій автоном агап агафон
агафья аггей адам адриан азар азарий аким акулина алевтин алевтина александр александра алексей алина альберт альбіна аліна амалія амвросий
амвросій амос ананий анастасия анастасія анатолий андрей андрон андроник андрій анжела анжелика аникей аникита анисим анна антип антон
антонин антонина аніта аполлинарий арефий аристарх аркадий аркадій арсений артем артемий артём архип аскольд афанасий афиноген бажен богдан
богданна богодар богуслав богуслава болеслав борис борислав бронислав будимир вʼячеслав валентин валентина валерий валерия валерьян валерій
ваня варлаам варфоломей варфоломій василий василина василиса василь вацлав велимир венедикт вениамин веніямин викентий виктор виссарион
виталий владилен владимир владислав владлен вова володимир володимира всеволод всемил всеслав вышеслав вячеслав віктор віолетта віталій
галактион галина ганна гедеон геннадий геннадій георгий георгій герасим глафира глеб гліб гостомысл гремислав григорий григорій гриша давид
давыд данила данило данна дарина дарья даша демʼян дементий демид демьян денис дима дмитрий дмитро добромысл доброслав дорофей евгений
евгения евграф евдоким евдокия евлампий евпраксия евсей евстафий евстигней евфросиния егор едита едуард екатерина елизавета елизар елисей
емельян емілія епифан еремей ермил ермолай ерофей еріка ефим ефрем жанна женя зинаида зиновий зиновій златослава зорян зосима зоя иван
иванна игнатий игорь измаил изот изяслав иларион илья иннокентий иосиф ипат ипатий ипполит ираида ираклий ирина исай исидор йосип каллистрат
камілла капитон карл касьян катя кирилл кирило клавдий клавдия клавдія климент коля кондрат кондратий конон константин корнил костя
костянтин ксения ксюша кузьма куприян лаврентий ладимир ладислав лазарь лариса левко леон леонид леонтий леонтій леонід леопольд лесь леша
лидия лиза лонгин лукʼян лукия лукьян лучезар любомир любосмысл людмила лёша ліза максим максимильян марʼяна мариан мария марк мартын
мартьян маруся марфа марія матвей маша мефодий мечислав микита миколай милан милен милица милован мирон мирослав митофан михаил михайлина
михайло михей миша модест моисей мокей мстислав мілена назар наина наркис настя наталья наталія натан наташа нестор никандр никанор никита
никифор никодим николай никон нина нинель нифонт нонна ніна одарка оксана оксенія октябрина олег олекса олександр олена олесь олимпий ольга
оля омелян онисим онуфрий опанас орест орина орхип остап остромир охрім павел павло панкрат панкратий пантелеймон панфил парамон парфен паша
пелагея петр петро пилип пимен платон поликарп полина порфирий потап прасковья прокл прокофий прохор прохір пріска радислав радован раиса
ратибор ратмир регина родион розалія роксолана ростислав рубен руслан рюрик савва савватий савелий самсон самуил саша светлана светозар
святополк святослав святослава світлана севастьян селиван селиверст семен сергей сергій сережа серёжа сигизмунд сидор силантий сильвестр
симон синклитикия сніжана сократ соломон соломія софия софон софрон софія спартак спиридон станимир станислав станіслав стефан таисия тамара
таня тарас татьяна твердислав творимир теодор тереза терентий тетяна тимофей тимофій тимур тит тихон толя трифон трофим трохим ульян ульяна
устим устин фадей фаина феврония федор федосий федот федір феликс феоктист феофан ферапонт филарет филимон филипп фирс флорентин фома
фортунат фотий фрол фёкла харитон харлампий хома христина христофор чеслав эдуард элеонора эмилия эмиль эммануил эраст эрнест эрнст ювеналий
юлиан юлий юлия юля юрий юстим юстина юхим якуб януарий ярополк ярослав ярослава єва євген єлисавета єлисей єфрем іван ігнат ілля ірена
ірина`;
