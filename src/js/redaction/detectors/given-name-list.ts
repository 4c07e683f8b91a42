// Written by models/train/given_names.py: given names that are no words of the languages with a dictionary. Faker's lists (MIT).
export const GIVEN_NAMES = `aaaqil aaban aabid aachal aad aada aadam aadhya aadi aadil aafiya aafke aage aahana aahil aalim aaliyah aamir aamirah aanuoluwapo aapo aaqil
aarav aarif aariz aarnav aarne aaro aaron aarush aaryan aarón aashi aashif aashir aasif aasim aatif aatiq aaus aayan aayush aazim abaan
abayomi abbie abbos abby abdallah abdelatif abdelkader abderaouf abderrahmane abdihakim abdirahman abdiş abduaziz abduboriy abdulbekir
abdulgazi abdulhamid abdulkadir abdullah abdullahi abdulloh abdulmenaf abdulsemet abdumalik abdurahmon abdurrahman abdón abdülahat
abdülcemal abdülhadi abdülkerim abdülsamed abdürreşit abednego abeer abeiku abel abelardo abelone abena abha abhimanyu abhiram abigaili
abigaíl abilio abiona abner abosede abror abubakar abubakr abyasa acarkan achiel achieng achille aclan adaeze adal adalbert adalberto
addison adebiyi adebowale adebukola adedayo adedeji adekitan adekola adekunle adela adelaida adelardo adelasia adelbert adele adeleke
adelgunde adelheid adelia adelin adelina adelinde adeline adelmo adenike adeniyi adeolu adeoti adepeju aderopo adesewa adeshina adesoji
adesua adetayo adetoke adetoun adeyi adhiarja adhra adiarja adiela adigun adilə adina aditya adnan adolf adolfine adolfo adriaan adrian
adriana adriane adrianna adrianne adriano adrien adrienn adrienne adrija adrijana adrián adriána adunni advaith advay advik advika adviye
adweta adwoa adya adéla adélaïde adıgün aedan aedin aengus aenne afaq aferdita afiq afolarin afonso afruza aftin afət agapito agastya agatha
agathe aggrey agim agnes agnesa agnese agnieszka agnolo agnès agnė agostina agostino agris agron agustin ahmad ahmed ahmet aicha aideen
aiden aidə aigars aija aiko aila ailbhe aileen aili ailis ailish aimee ainara ainhoa aino ainārs aisha aislinn aisyah aitana aitor aivar
aivars ajeng ajimat ajimin ajiono ajla ajna ajoke akanmu akarsana akatay akay akboğa akcivan akdora akdurmuş akgöl akgüneş akif akifə
akinkunmi akinlabi akinwale akinyi akise akmaner akmaral akobir akosua akoth aksay akshay aksoy aktemür akver akwasi akwesi akyıldız akçabay
akçasu aköz akınal alaaddin alabezek aladin alaeddin alain alambana alamiro alanna alannah alastair alberico albertina albertine alberto
albrecht albulena alcira aldair aldemar alderano aldo aldona aldonza alec aleisha aleix alejandra alejandro aleksa aleksandar aleksander
aleksandr aleksandra aleksandras aleksandrs aleksanteri aleksei aleksej alenka aleodor alessandra alessandro alessia alessio alexandar
alexandre alexandria alexandrie alexandros alexei alexej aleš alfio alfonz alfredo alfréd alfrēds algot algış aliabbas alicja aliihsan
alinur alirio aliro aliseydi alisha alissa alistair alix aliya aliyu aliyə aljaž aljoša allahverdi allison almast almudena almuth alois
aloisia alojz alojzia alojzij alojzija alonso aloys alparslan alpcan alphonce alphons alphonse alphonsus alsoy altoğan altuğ altınbike
altınkaya altınçiçek altınışın alvaro alvīne alwin alwina alwine alyssa alzira alícia alīda alžbeta alžběta amadeo amadeu amadou amahle
amaia amalia amalie amalija amancio amarachi ambrosio ambróz amedeo amedeu amelija aminatu amira amleto amondi amope amra amre amruta amy
amza amália amélie américa américo amílcar amālija ana anabel anabella anahera anahis anahí anaida anamaria anamika anargül anaru anastacia
anastasie anastasio anastasios anastatia anastazja anastázie anatol anatoli anatolie anatolij anay anaís anaïs ancizar ancuța andi andile
andiç andjela andjelina andrada andraž andrea andreas andree andreea andrei andreia andrej andreja andrejka andrejs andrew andrey andrešs
andri andrian andrija andrin andris andrius andrzej andrás andré andréas andrée andrés andwele andy anej aneta anett anette anežka angelique
anggabaya anghel anghelina angie angèle anica anicet anika anikó anirudh anissa anita anișoara anja anjolaoluwa ankica anmol anna annabel
annabell annabella annabelle annah annalena annaliese annalisa annalise annamaria annamarie annamária annastacia annedore annegret annegrete
annekatrin anneke anneleen annelene anneli annelie annelies anneliese annelise annelore annemarie annemette annemie annemieke annemijn
annerose annett annibale annica annick annie anniina annika annikki annina annita annukka anny anoni anouk ansaldo anselm anselma anselmo
ansgar ansh ansora anssi antanas anthony antim antje antoaneta antoin antoine antoinette antonela antonella antonello antonia antonie
antonieta antonietta antonija antonio antonios antoniu antonius antons antonín antoņina antti antònia antónia antónio anuța anvar anvi
anyango anyelo aníbal anđa anže aodhan aoibheann aoibhin aoibhinn aoife aongus apolena apolonia aqil aracely aradhana arben arbnor arcelia
archie ardian arezki argemiro ariadna arianna arianne aribert arielė arifcan arifə arike ariki arinola aristide aristides aristița arjan
arjen arjun arkadiusz arlene arley arlinda armandas armida armin armindo arnaldo arnar arnaud arnaude arnd arndt arne arnfried arnim arnis
arno arnold arnoldas arnoldo arnolds arnoud arnošt arnulf arnulfo aroha aronas arpağ arpád arran arron arsenio arsim arsipatra artan artawan
artemio arthur arttu artturi artur arturo artūras artūrs arvīds arziye aránzazu arıel arıkol arıpınar arısoy arūnas asafe asanti asatira
asbjørn asdrubal asger asha ashlee ashleigh ashlene ashley ashling ashton asier asif asilbek asilə asirwada asirwanda asko aslanhan aslaug
aslijan asmadi asmianto asmira asmuni astrid astrit aswani asəf ataahua atagün atalay atamoğlan atanur atasagun atatöre atena atenulf atfat
atgun athanasios atharv atheel athman athuman athumani atiena atieno atilhan atilio atinuke atiyye atmaja atnan attaf attracta audrey
augustín aukusti aulikki auraq aurel aurelia aurelija aurelio aurélie aurėja ausma averil avni avşin awadil awamil awamiri awani awero awesi
awhina awj awlya awmar awrad axelle axenia axinte ayaan ayamin ayasun aybet aybora aybəniz aycagül aydar ayden aydinç ayduru aydınbey ayelén
ayesha aygutalp aygönenç aygül aygün ayhan ayinke aykut aykutalp ayleen aylil aylin aylla aymen aynilhayat aynur aynurə aynımah ayodeji
ayodele ayoka ayoub aypar ayse aysel aysema aysevim aysoy aysu aysuna aytek ayten aytuna aytöz aytəkin aytən ayush ayushman ayvas ayyaruk
ayyubi ayçiçək ayülker ayşan ayşeana ayşenur azaan azad azahara azban azeeb azeglio azeneth azettin aziza azra azər açıkel açılay aída
ağahadi ağakişi ağamalı ağamusa ağasəfa ağaxan ağbegim ağmur aşhan baaba baahir baaizeed baaqee baaqir baashir baasim baasit babasola
babatunji babawale babett babette babsi baccio bachittar badawi badegül badr baghyawati bagiya bagya bahaa bahaddin bahadurjit bahittin
bahtinur bahuraksa bahuwarna bahuwirya baiba bailie bairbel bairbre bakhshi bakiadi bakianto bakidin bakijan bakiono baktiadi baktianto
baktiono balamantri balangga balaxanım baldassare baldomero balduino baleegh balendra balhaar balidin balijan balinda baljiwan baltasar
baltazar baltaş balthasar balveer balázs bambad banawa banawi banjeet banü baqar baqir barasa barbora bardh bariş barkha barnabás barraq
bartek bartholomew bartholomäus bartley bartolomeo bartolomé barča barışcan basaam basel bashaar bashaarat bashar basharat basheer basheerah
bashkim basia basriye basti bastiaan bastien bastián batool baturay batırhan baudelio bauke baydu baykan bayron bayruhan baytal bayzettin
başay başhan başok beatrice beatrijs beatrix beatriz beauden becky bediriye bedřich begim begoña behbud behiza behruz bekbay bekir bektaşi
belgizar belinda belisario belkize bellisan bendegúz benedek benedict benedicte benedicto benedikte bengibay bengt benice benicio benita
benito benjámin benno benny benoit benoît benício beppe beray berend berenice berezat berit berkal berksay bernabé bernadett bernadette
bernadine bernardita bernd berndt bernfried bernhard bernhardine bernice bernt bernward bertalan bertha berthold bertold bertrand besart
besarta besey beshte besnik betania beth bethany betina betsy bettina bevan beverley beverly beyda beyhatun bezek beáta beňadik bhanumati
bhavani bhavika bhavini bhavna bhavya bhekani bhekisisa bhekizizwe bhekokwakhe biagio bianka bibiána bibuwa bieke bilaal bilay bilginur
bilgütay biljana bilkay bilkisu billie biltaş binay binbaşar binta bintou binışık birger birgid birgit birgitt birgitta birgitte birgül
birkir birna birousk birsan birte birthe biruta birutė bishakha bizhan bişar bjarki bjarne bjarni bjorn björn bjørg bjørn bladimir blaine
blake blanaid blanduzia blathnaid blažej bledar blerim blerina blerta boaz boban bobur bodil bogna bogomir bohdan bohdana bohumil bohumila
bohumír bohuslav bohuslava bohuš bojana bolatito boleslav boluwatife bonface boniface bonifacio bonifác borahan borataş borghild boris borys
bosibori botond boubou bouchra bozbağ bozena bozerk boztaş boğatimur bořivoj bošjan boštjan bożena božena božidara božo bradley bragi
bramwel branislav branislava branko braulio bravin brayan brayden breandan breanna breeda breege breffni brencis brenda brendah brendan
brendon breno brian briana brianna bridgit bridie briget brighid brigid brigita brigitta brigitte brijesh brilyant britney britt britta
brittany brittney brogan bronagh bronislava bronwen bronwyn brooke broņislava brunilda bryan bujar bukurije bulunç bunmi buraid burak
burakhan burckhard burcuhan burghard burkard burkhard burkhardt busisiwe buyrukhan buşra byron bystrík bálint bärbel béatrice bénédicte
bérangère börje börteçin børge büget bünyamün büreyre büşra büşranur bănel bērends bērtulis błażej břetislav bəhlul bəhram bəhruz bəkir
bənövşə bəşir cahal cahan cahangir cahir cahya cahyadi cahyanto cahyo cahyono cailin cailum cait caitlin caitlyn caitriona caius cajsa caket
cakrabirawa cakrajiya cakrawangsa caleb calebe calixta callum calogero calvince cameron camil camila camille camillo camillus campbell
canberk candeniz candrakanta cangür cannur canseven cantemir canur caoilfhionn caoimhe caoimhin caolan caomhan caragh caren carla carlijn
carlito carlo carlos carly carmela carmen carmenza carminho carole carolien carolin carolyn carolyne carrie carsten casandra casemiro casey
casian casiana caspar casper cassidy caterina cathal catharina catherina catherine catheriona cathleen cathrin cathrina cathrine cathriona
cathy catia catinca catrin catrine catrinel catriona caturangga cauê cavid cavit cawisadi cawisono cawuk cayadi cayetana cayetano cazimir
cebesoy cebrián cecelia cecep cecil cecile cecilia cecilija cecilio cedric cedrin ceferino celene celilay celso cemalettin cemplunk cerasela
cercis cesira cevale ceyhun ceyhunə ceyla ceylin ceyran cezayir chaaya chabane chaitaly chaitanya chakradev chakradhar chakrika chamali
champak chanakya chanchal chandani chandran chandresh chanez changaz chaniya chantal chantelle charan charis charlene charlesh charline
charlott charlotta charlotte charmaine charvi chashida chasmum chatresh chausiki chavvi chawish chebet cheikh chelangat chelo chelsey chema
chepkemoi chepkoech chepkorir cheragh cherie cherif cherith cherotich cheruiyot cheryl chiamaka chibuzo chidimma chiel chigozie chijioke
chinedu chinyere chiraz chizoba chloe chloé chloë chlóe christa christabel christel christelle christer christiaan christiana christiane
christianne christie christina christine christl christof christofer christoffer christoph christophe christopher christos christy chukwudi
chukwuemeka chuy cianan ciaobella ciarrai cihandide cilli cillian cilly cindoruk cindy cinthia cinthya cintia cinzia ciprian cipriana
cipriano ciriaco ciril cirillo cirino cirkeline ciríaco citlali claas claes claudete claudia claudina claudine claudio claudiu claudius
clavs clayton cleide clelia clemens cleopatra cleophas cleto clifford clinton cliodhna clodagh clodomiro cloe clorinda clotilde cláudia
cláudio cläre clímaco codin codrin codrina codruța cohen collin collince colm coluccio colum conall conan concetta conchi conchita conchur
conleth conn connell connie connor conny conor conrad conrado constantin constanza constanze constança corentin corey corina corinna corinne
cormac cormack cornel cornelia cornelio cornelis corneliu cornelius corrie corsin cortney cosima cosimo cosmas cosme cosmin costache
costantino costanzo costel costin coumba courteney courtney coşqun craig crescencia cristea cristhian cristhofer cristian cristina cristobal
cristofer cristofor cristopher cristóbal csaba csilla csongor ctibor ctirad cuheyna curdin cynthia cyprian cyprián cyriel cyril cyrill cyrus
czeslaw cátia cäcilia cäcilie cécile cédric célia céline côme cümşüd cüneyit călin cătălin cătălina cəlal cəlil cəmalə cəmil cəmilə daan
daanish daanyaal daawood dabbah dacian dafina daghfal dagmar dagmara dagny dagobert dagoberto dahiana daiana daiga dainess dainis dairine
daiva daiyaan daksh daksha dakshesh dalaja dalbir dalibor dalila daliman dalimin daliono damaris dameer damian damiano damien damife damijan
damir damián damjan damjana damlanur damurah damyanti danang dancan dancun danica daniel daniela daniele daniella danielle daniels danijel
danijela danique daniswara danitza danièle daniël danjuma danny danuja danuta danutė danuše daragh darcy dardan dariana dariati darija
darijan darika darimin darina darinka darius dariusz darja darko darlene darmaji darman darmana darmanto darpan darragh darran darrell
darrin darryl darryn darsh darsirah dartono daruna darwin daryani daryl darío dasa dastageer daudi david davida davide davin davis davnet
davor davorin davíð dawid dawud dayamai dayita dayna dayyaan dağistan deaglan deanna dearbhail dearbhaile dearbhla debbie debby debora
deborah deborrah decebal declan deepa deiby deicy deirbhile deisy deividas dejan delfim delphine demeter demetra demetrio demian demirbüken
demirok demiryürek denis denisa denise denizalp denkel dennis derick derkay derly dermot dermott derval dervilla dervla deryanur desiree
desirée desmond detlef detlev devika dewi dex deyanira dezider dezső değmeer dhriti dhruv diah dianah diann diarmaid diarmuid dickson dida
didier didina didzis diederik diedrich diego dierk diethard diethelm dietlind dietlinde dietmar dietrich dijana dilara dilarə dilavər dilcan
dilder dildora dilfeza dilhuş dillon dilnoz dilnur dilsitan dilşad dilşat dimaz dimitri dimitrina dimitrios dinah dincer dinis dinko dinçkol
dinçsü diogo dionigi dionýz dipta dirican ditmar dittmar divya diya diyora diána diāna djamel dmitri dobromila dobroslav dobroslava dochia
dogan dolphine domagoj domenic domenico domhnall dominic dominick dominik dominika dominique dominyka dominykas domitila domnica donagh
donal donatella donatello donato donika doniyor donnacha donncha donough doralisa dorcus doreen dorel dorien dorin dorinel dorka dorle dorli
dorota dorotea doroteja dorothe dorothea dorothee dorothy dorothée dorottya dorthe dorukhan dounia dovilė dovud dovydas doyinsola doğanalp
doğannur doğanşah doğuhan dragan dragica dragoș dragutin drahomír drahomíra drahoslav drahoslava drajat dražen drilon driss dritan driton
duane dubán ducu duilio dumisani dumisile dumitra dumitrana dumitru duncan dunyo duracan durdali durdona durgadin durmuşali durodola
dursadiye duruöz dusan dustin duuk duván duyguhan dušan dušanka duško dwayne dwi dylan dylano dymphna dympna dzidra dzintra dániel dávid
dáša débora déborah dénes dóra dölensoy dönməz dörte dörthe dündaralp dünyamalı dürdanə dürnisə dürrüşehvar dārta dāvis dženan eadaoin eamon
eamonn eanna eberhard eberhardt ebuakil ebuka ecaterina ece ecegül ecemiş eckard eckart eckehard eckhard eckhardt eckhart edaviye eddah
edelbert edelmira edelmiro edeltraud edeltraut edeltrud edgar edgaras edgard edgardo edgars edgübay edhitha edier edilberto edilma edilson
edinah edinson edith editha edmond edmundo edoardo edona edouard eduar eduard eduardo eduards edvard edvardas edvinas edvīns edwar edward
edwin edwina edyta edīte eelco eelis eelke eemeli eemil eerik eero eesha eetu eeva eflâtun efrain efraín efrén efser eftimia eftimie egbert
eggert egidijus egidio egil egils eglė egzona ehrenfried ehrentraud ehrhard ehsaas ehsan eidvilė eija eijaz eike eila eileen eilif eilis
eilish eimear eimhear einar einari eino eirik eithan eithne eivind eivor ejaz ejlaal ejnar ekaja ekalinga ekani ekansh ekanta ekantika
ekapad ekaraj ekaterina ekavir ekbal ekber ekiya ekkehard ekkehart ekmel ekow ekrem ekundayo eladio elaf elaine elamiye elariz elba elcira
elcy eldəniz elea eleanor eleanora eleazar elena elenore eleodoro eleonor eleonora eleonore eleonóra elfriede elgün elhan elia eliabeth
eliakimu elias eliecer elien elif elifnur eligio eliisa elijah elin elina elinor elira elis elisa elisabet elisabeta elisabete elisabeth
elisabetha elisabetta elisaveta eliseo elisha eliud eliza elizabeta elizabete elizabeth eliáš eliška elkana elladio ellie ellinor elliot
elliott elly elmidar elmir elmira elmārs elməddin elna elnarə elnur elnurə eloah elodie elof eloise elosy eloy eloá eloísa eloïse elphas
elpidio elsa elsbeth elsebeth elsevər elsie elske elsy elton elturan eluh elvia elvir elvira elvis elvíra elvīra elwira elxan elyas elza
elzbieta eléonore elías elín elöve elīna elşad elşən elżbieta emanoil emanuel emanuela emanuele emanuella emanuelly emanuil emelie emelina
emely emerson emese emidio emiel emigdio emil emilce emilia emilie emilija emilio emilis emilly emily emine emirşan emma emmaculate emmanuel
emmanuelle emmerich emmett emmy empluk emran emre emrullah emília emīlija emīls encarnacion encarnita endrit engelbert enginiz engla enikő
eniola enis enith enna ennio enno enock enrica enrico enrika enrique enriqueta ensio enver enya enza enzio enzo eoghan eoin ephantus epp
eraldo erasmo erastus eraycan erbay erbil ercan ercihan erdal erdemer erdibay erdmute erdogan erdursun eremia erensoy ergener ergönül ergül
ergün erhard erhardt erica erich erick erik erinçer erion erkki erksoy erkılıç erland erlend erling ermal ermanis ermanno ermenegildo ermira
ermutlu ernest ernestas ernestina ernestine ernesto ernests ernő erol eroğul erseç ertuncay ertün ervaniye ervin ervín erwan erwin eryk eryn
eryıldız erzsi erzsébet eröz erşat esben esenbay esengün esentürk esfandyar eshan eshana esila eskil eskinalp esmanperi esmarelda esmee
esmira esmée esneider espartaco espiridión esra estefany estefanía esther estiawan estiono estrid esupofo eszter etela etelka etelvina ethna
ethne etibar etienne etiqad etizaaz ettore euan eudes eufrosina eugen eugene eugine eugène eugénia eulalia eunan eunika eurico eusebia
eusebio eusebiu eustaquio eustațiu eutropio eva evald evaldas evaline evalyne evamaria evan evance evangelina evangelos evanghelina evans
evaristo evelien eveliina evelin eveline evelio evelyn evelyne evelína everline everlyne evie evija evka evrimer evy ewa ewald ewan ewatomi
ewelina exequiel eydan eyyub eyyüp ezekiel ezequiel ezgütekin ezio ezra fabien fabio fabiola fabián fabiënne fabricio fabrizia fabrizio
faderera fadil fadile fadime fadıla fahmi fahrullah fainche faiq faizah faizan falguni familə faqid farangiz farhiya farhod farhunnisa
farida fariq fariz farouk fathonah fatigül fatiha fatihə fatima fatime fatimə fatinur fatma fatmanur fatmir fatmire faton fatoumata fatteh
faye fayize fazil fazli fazul feargal fearghal febe federico federigo fehintola fehmiye feliciana feliciano feliks felipa felipe felisa
felista felister felistus felix felizitas femke fenna ferahdiba feraye ferdinand ferdinando feremez ferenc fergal fergus ferhan ferhat
feriel ferihan ferinaz ferko ferkó fermín fernand fernanda fernande fernando ferney fersan feruza fetullah feyha feyruz fiachra fibikemi
fidaye fidelma fidvi fien fiene fiete fiifi fikayomi fikrət filipe filippa filippo filofteia filoména finbarr finian fiodor fiona fionan
fionna fionntan fionnuala fionnula fiorenzo firdavs firdevis firdovsi firmin firudin firuzə firəngiz fisnik fitnat fitore fitria fitriani
fiyaz fizzə fjóla flamur flannan flavia flavio flaviu flemming floortje florencia florencio florent florența florian floriane florica
florinda florián flurin flurina flynn flávia flávio fokke folashade folkert fotima fouzia fran frances francesca francesco franchesca
francine francisc francisco franciscus franciska franciszek franck francoise frankie frankline františka franz franziska françois françoise
frančišek frauke freddy frederic frederick frederico frederik frederikke frederique fredi fredo fredric fredrick fredrik fredrika fredy
freek freja freya freyja frida fridah fridrich frieda friedbert friedemann friedericke friederike friedhelm friedhilde friedhold friedl
friedlinde friedo friedrich frithjof fritz frode froilán frusina frédéric frédérique fríða fuensanta fulgencio fuzayl fynn fábio fátima
félix füzuli fănel fəhmin fərahim fərda fərhad fərid fəridə fərman fərqanə fərrux fəxri fəxriyyə fəxrəddin fəyyaz fəzail gabija gabor
gabriel gabriela gabriele gabrielius gabriella gabrielle gabrielly gabriël gaetano gail gaiman galasso galina galvarino gamanto gambira
ganep garech gareth garreth garrett garry garvan gaston gastón gathoni gatis gaurang gaurangi gaurav gaurika gautami gavin gawati gayathri
gaylene gazmend gaël gaëlle gaëtan gašper gbadebo gbolahan gbowoade geanina gearoid gebhard gediminas gedion geert geetika geir gejza
gelengül gelsomina gencaslan genevieve geneviève gennaro genovefa genoveva gençay geoffrey geofrey georg george georgel georges georgeta
georgios geovanny gerald geraldo gerard gerarda gerardine gerardo gerardus geray gerben gerd gerda gereon gerfried gergely gergő gerhard
gerhardt gerhart gerhild gerlind gerlinde germán gernot gerolf geronimo gerrard gerrit gerry gerson gert gerta gerti gertraud gertraude
gertraut gertrud gertrude gertrudis gertrúda gervasio gerwin gerónimo gesa gesare gesche gesine gethera getrude ghaalib ghaazi ghaffaar
ghafoor ghaith ghalib ghaliyati ghanee ghanem ghannam ghasaan ghauth ghawth ghayoor ghazalan ghazanfar ghazanfer ghazawan ghazzal ghenadie
gheorghe gheorghiță ghilas ghislain ghislaine ghiyaath ghiyath ghiță ghufran ghulaam ghulam ghunayn ghusharib ghusun ghutayf giacomo giada
giampaolo giampiero gian giancarlo gianfranco gianina gianluca gianluigi gianmarco gianna gianni gianpaolo gianpietro gibson gicu gică
gideon giedrė giel giesela gifty gigel gijs gilberte gilberto gildardo gilles gillian gillis gilma gilman ginette ginevra gino gintarė
ginyas gioacchino gioele gioffre gion gionata giorgia giorgian giorgiana giorgio giosuè giovanna giovanni giovanny girgl girindra girish
girolamo gisa gisbert gisela giselle gislinde gisèle githinji gitonga gitte giulia giulietta giulio giuseppa giuseppe giuseppina giustino
gizela gizella gladis gladys glenda glenn glenys godelieva godelieve godfrey godofredo godwin goffredo gohar goncafer gonzalo gonçalo gopal
goran gorazd gordan gordana gosia gottfrid gottfried gotthard gotthilf gotthold gottlieb graciela graeme grainne grayson graziella grazyna
grațian grațiana grațiela greg greger gregg gregor gregorio gregory greta gretchen grete gretel grethe gretl gricelda grigore griselda
grzegorz grégoire gréta grēta guadalupe gudrun gudula guenter guenther guglielmo gugulethu guido guilherme guillermina guillermo guiomar
guiseppe gulab gulfaam gulfam gulshan gulzar gunar gunbir gunborg gundel gundhild gundolf gundula guneet guney gunhild gunilla gunn gunnar
gunnel gunta guntars gunther guntis guntram gunvor gunārs gurli gustaaf gustaf gustav gustavo gustaw gustáv gusztáv guus guusje guðjón guðný
guðrún gwen gwenaëlle gwendolen gwendoline gwendolyn gyda gytė gyula gyuri gyuszi gyða györgy gzim gábor géraldine gérard géza gísli gökay
gökbudun gökhan göknur gökperi göksev gökçebalan gökçil göli göran görgünay görsev gösta götz gözel gücal gülarə gülay gülağa gülbala
gülbani gülbeyan gülbiye gülcegün güldam gülder güldünya gülel gülenay gülev güleğen gülfari gülfeza gülgen gülgüzel gülhisar gülinaz
gülkadın güllühan güllər gülmira gülmisal gülnar gülnarə gülnaz gülnaziye gülnur gülper gülsalın gülselin gülseren gülsevil gülsiye gülsüm
gültac gülten gülter gültəkin gülxar gülzadiye gülzar gülçe gülçin gülçöhrə gülözge gülüs gülüstan gülşa gülşahin gülşeref gülşən gülər
gümüştekin günar günay günaydin gündüzalp güneri güngördü güngören günkurt günser günter günther günver günşen gürarda gürelcem gürten
güverçin güçal güçlüer güçyeter gəray haciali hacile hacıbəy hadassa hadicha hadiza hadjer hadrey hafdís hafshah hailey hairyanto hajni hajo
hajrie halenur haley halidun halvor hamid hamima hamish hampus hamza hanbiken hania hanife hanka hanna hannabel hannah hannchen hanne
hanneke hannele hannelore hannes hannu hanny hanora hansgeorg hansjoachim hansjörg hansjürg hansjürgen hanspeter hansruedi hanss hansueli
haralamb haralambie harald harbinaz harijs harinakshi harjaya harnail harol harold haroldo harri harriet harrison harro harsana harsanto
harsaya harshil hartmut hartmuth hartwig harun harvey hasan hasbek hasgül hasna hassan hatice hatin hauwa havse havva hawehindi hayden
haydée hayel hayleigh hayley hayrünnisa hazeem hazrat hedda hedi hedvig hedviga hedvika hedwig hedy hege heidelinde heidelore heidemarie
heiderose heidi heidrun heidy heike heiki heikki heiko heinfried heino heinrich heinz heinzi heitor hekmet heleen helfried heliodoro hellena
hellmut hellmuth helmar helmtrud helmut helmuth heloisa heloísa helvi helén heléne helēna hemang hemangini hendra hendri hendrik henife henk
henner hennie henning henny henric henrich henricus henrieta henrietta henriette henrik henrike henrikki henrique heracleea heraclio herbert
herberto herdis heribert heriberto herman hermann hermelinda hermenegildo herminda herminia herminio hermína hernando herney hernán herrmann
herta hertha hervé herwig heryanto hesbon hetty heydər heyvetullah hezniye hezron hidde hidir hikmət hilary hilayda hildah hildburg hilde
hildegard hildegart hildegund hildegunde hildur hilkka hillary hillevi hilma hilmar hiltraud hiltrud himawan hinet hinewai hinrich hitesh
hiçsönmez hjalmar hjalti hjördis hoani hocine holger hollie homero honza horacio horațiu horymír hosea houcine houda howard hoşkadem
hredhaan hritik hrvoje huban hubert hubertine hudavent hugh hugo hugues huguette hulda humaira humaiya humayra humberto humoyun humphrey
hunor hurşide hussein huzaifa hynek håkan håkon håvard héctor hédi hélder hélio hélène högni hökümə hüda hümbət hümeyra hürdoğan hüryaşar
hürüyet hüseyin hüseyn hüseynqulu hüsmen hüsniyyə hüsnü hüsnühâl hıfzullah həci həcər həmid həsən həsənağa həzi iacob iacopo iain iancu
ianis iara iasmina ibaad iben ibeth ibidapo ibironke ibraaheem ibraheem ibrahim ibrani ibrohim ibán idrees idris idriz idık ieremia iesa
ifeanyi ifechukwu ifeoma ifora iftikhaar iftikhar ifunanya ignace ignacia ignacio ignacy ignas ignatz ignaz ignazio ignác ignė igor igors
ihab ihtesham ihtishaam ihtsham iida iisakki ijaya ijli ikenna ikeoluwa iker ikhlaas ikhsan ikraam ikramah ikrimah ikshita ilaria ilarie
ilario ilarion ildi ildiko ildikó ildız ileana ilenia ilgı ilias ilie ilija ilinca ilir ilka ilkka ilmari ilmārs ilona ilonka ilsa ilse
ilyas ilyes ilze imants imaran imer imke imogen imona imran imre imrich imron inaya indali indira indrek indriķis indrė ineke ines inese
inez ingalill ingars ingbert ingeborg ingeburg ingegerd ingegärd ingela ingelise ingelore ingemar ingetraud ingetraut ingrid ingried ingrīda
inguna ingunn ingus ingvar inioluwa inken inkeri inmita inocencio inocențiu insa inácio inès inês ināra ioan ioana ioanina ioannis iolanda
ionel ionela ionelia ionuț iosefina iosif ippazio irena irene iretioluwa iridenta irina irinel iringó irja irma irmantas irmela irmeli
irmengard irmgard irmhild irmi irmingard irmtraud irmtraut irmtrud irnanto irsad irungu irwan irya iryna irène irén iréne irēna irıs isaac
isaack isabel isabell isabella isabelle isabelly isac isack isadora isaiah isak isaque isaura isaya isaías iseoluwa isfandiyor ishaan ishani
ishanvi ishita ishola ishwar isidor isidro isilda ismael ismail ismoil ismık isolde issack istvan istván itanya itzel itziar iulia iuliu
iurie iustin iustina iustinian ivan ivana ivanka ivano ivar ivars iveta ivett ivka ivo ivona ivone ivonne ivor iván iwona iyabode iyadunni
iymona izaaz izabela izabelė izidor iñaki iľja işıkay işıman işın jaabir jaafar jaak jaakko jaan jaana jaanus jaap jabbaar jabr jabulani
jacek jacinta jacintha jacira jackeline jackie jackline jackson jacky jaclyn jacob jacopo jacques jadranka jadwiga jadzia jael jafet jagdish
jagrati jagvi jahangir jahanzeb jahdami jahdari jahiz jahongir jaider jaime jair jairaj jairo jairus jakob jakobs jakub jalaal jalmari jalol
jalsa jalə jamal jamalia jamshid jana janek janeta janeth janett janette janez jani janic janice janick janik janin janina janine jankat
janko jann janna janne janneke jannes janneth janni jannie jannik jannis janosch janusz janya japhet japheth jaqueline jared jarkko jarlath
jarleth jarmo jarne jarno jarolím jaromír jaromíra jaron jaroslav jaroslava jaroslaw jarrod jaruthip jarwadi jarwi jaryna jasminka jasmit
jatin jatmiko javier javiera javohir jaxon jayadi jayda jayde jayden jaylinn jayne jayson jazmin jaël jeana jeanette jeanine jeanne jeannine
jebet jecinta jedidah jeet jeevika jef jeferson jeff jefferson jeffery jeffrey jefri jeison jeisson jekaterina jelagat jelani jelena jelte
jemimah jemutai jenaro jenel jenifer jeniffer jenipher jenna jenni jennie jennifer jenniffer jens jenő jepchirchir jepchumba jepkemoi
jepkoech jepkorir jepkosgei jeppe jeptoo jeremi jeremiah jeremy jerguš jerica jermaine jerman jermiah jernej jerneja jeroen jerome jeronimo
jerono jerop jerotich jerson jeruto jerzy jesca jesper jesse jessica jessie jessika jessy jesusa jesús jevgeni jezups jhalak jhan jhoan
jhoana jhon jhonatan jhonny jhony jil jill jillian jimena jimmie jimmy jinawi jindřich jindřiška jinthe jiri jitka jiří joachim joacim
joakim joan joann joanna joanne joannes joao joaquim joaquin joaquina joaquín jobst jocelyn jocelyne jochem jochen jocke jodie joerg joeri
johana johann johanna johanne johannes johans johnathan johnnie johnson johnstone johny jokūbas jolana jolanda jolanta jolanthe jolien
jolijn joline jolán jonah jonas jonathon jonna jonás jonáš joojo joona joonas joonatan joop joosep joost joppe joram joran jordi jordy joren
jorge joris jorja jorma jorn jorunn jorūnė jose josef josefa josefiina josefin josefine joselyn josemi josep josepha josephat josephina
josephine josephus josette joshua josiah josiane josine josip josipa joso josphat josphine josse jost josua josue josué josé josée joséphine
jouko jouni jovan jovana jovita joyce joyline jozefína jozo joão joël joëlle joško jože jožef jožefa jožica jožka jožko juan juani juanito
juanjo juanma juci judit judita judith juergen juhan juhana juhani julia julianna julie julien juliet julieth juliette julijana julius
juliusz julián jumaane jumadi juozas jupp juraj jurga jurgen jurgita jurij jurre justina justine justiniani justus justyna justína jusuf
jutta juul juulia juuso juwon jyoti jyrki jytte ján jános jérémie jérémy jérôme jéssica jóhann jóhanna jóhannes jón jóna jónas jóska józef
józek józsef józsi jöns jörg jörgen jörn jørgen jørn júlia júlio jürg jürgen jānis jāzeps jēkabs jēkaubs jędrzej jūla jūle kaamil kaan
kaarlo kaashif kaat kaazim kabeer kabiru kachela kacper kaija kaique kaisa kaitlin kaitlyn kajetan kajji kajsa kajus kaleb kalervo kalev
kalgay kaltrina kaluwa kamau kambali kamidin kamiel kamilly kamilə kamron kamya kandef kanpulat kaombwe karanbay karataş karcan kareem karin
kariuki karley karlfried karlheinz karlijn karlukhan karlīna karoliina karolina karoline karolína karsten karyn kashan kashangaki kashif
kashish kashvi kasia kasimir kasiyah kaspar kasper kassim kastriot kasusra katariina katarina katarzyna katarína katarīna katcha katelijne
katelyn katerina katerine kateřina katharina katharine katherin katherina katherine katherinne kathi kathleen kathrin kathryn kathy katia
katica katie katja katka katleen katri katrien katriina katrijn katrin katrina katrine katrín katrīna kauko kauthar kavya kawaca kawaya
kawkab kawthar kayagün kayden kaye kaygusuz kaylee kayleigh kayrabay kazimierz kazys kealan keano keanu keegan keelan keely keeva kefser
keijo keira keisha keith kelechi kellie kelsey kelâmi kemboi kemuma kemunto kenan kendra kenedy keneth kenn kennedy kennet kenneth kenny
kenth kenyangi kenzie kerri kersti kerstin kerubo keya keyaan kezban kezia keziah khaalid khadidja khadija khaled khalid khamani khamisi
khanyisile khloe kiaan kian kiandra kiara kiaran kiarie kibafupia kickan kieran kiernan kifaye kifayət kikelomo kilian killian kilonzo
kimani kimathi kimberley kimberly kimeu kimutai kinuthia kinyanjui kinyua kiojah kipchirchir kipchumba kipkemboi kipkemoi kipkirui kipkoech
kipkorir kipkosgei kipkurui kiplagat kiplangat kiplimo kipngeno kipngetich kiprono kiprop kiprotich kipruto kipsang kiptoo kipyegon
kiramettin kirby kirsten kirsti kirstie kirstin kirstine kirsty kiyasi kjeld kjell kjersti kjetil klaudia klaudie klaus klavdija klemen
klemens klement kliment klothilde klára knud kobe koech koenraad koffi kofi kolawole koloman koncagül konrad konradi konradus konstanze
konštantín koray korbinian kordula korinna korkmazalp kornelia kornelija kornelius kornél kornélia kosgei kosisochukwu kotryna kotuz koçkan
koşukhan krenar kreszentia kreszenz kriemhild krish krisha krishna krista kristel krister kristers kristi kristiaan kristian kristiane
kristie kristien kristiina kristijan kristin kristina kristine kristián kristiāna kristof kristofer kristoffer kristopher kristupas kristy
kristína kristóf kristýna krisztina krisztián krisztofer krišjānis krišs krištof krystian krystyna kryštof krzychu krzysiek krzysztof
ksawery ksenija kuddusi kujoe kujtim kullervo kuncara kunibert kunigunda kunigunde kunthara kushtrim kustaa kutay kutgün kvetoslav
kvetoslava květa květoslava kwabena kwadwo kwamboka kwame kwamena kweku kwesi kyalo kyano kyara kylie kyllikki kyra kálmán károly kátia
kâmil kâzime käte käthe käthi kévim kévin köker köktaş könül kövsər kübra kübran külli kürşad kārlis kęstutis kılıçbay kınel kırgız
kızıltunç kəmalə kəmaləddin kənan kəramət kərim labeeb labib labinot lacey lachlan laci lacika ladislau ladislaus ladislav ladislava ladli
laeeq laetitia laila laima laimonis laiq laith lajita lajlaj lajos laksh lakshmi lalə laləzar lamberto lameck lamiyə laoise laqeet lara
larisa larry lars lascăr lasmanto laswi laszlo latasha lateef latoya laura laurence laurens laurent laurenz laurenția laurențiu lauretta
laurian lauriane laurie laurin lauris laurits laurynas lautaro lavanya lavinia lavīze lawrence laylo layth laziz lazzaro lazăr laís leana
leanne leano leart leena leevi leidy leif leigh leili leire lejla lekha lelde lembit lena lenah lenin lenka lennard lennart lennarth lennert
lenuța leocadia leocadio leokadia leon leonard leonardo leoncio leonel leonhard leonid leonie leonor leonora leonore leons leontin leontīne
leopold leopolda leopoldine leopoldo leordean leoš leroy lesana lesia lesley leslie lesly leszek leticia leticija letiția levoslav leyla
leyre leïla leónidas libardo libby libni libuša libuše liceth lică lidija lidka lidwina lidya lieke liesa liesbet liesbeth lieschen liesel
lieselot lieselotte lieven lieze ligita liis liisa liisi liivi lilian liliana liliane lilijana lilita lillian lilou limazah lindita lindsay
lindsey linnéa linus lioara lioba lionel liridon liridona lisandro lisanne lisbet lisbeth liselott liselotte liseth lissette lissi lissy
livia livingstone livio liviu liwia liyaaqat liyaqat lizete lizeth lizz lizzy ljerka ljubica ljubisa ljubo ljubov ljudmila lloyd lodewijk
lodovico loek logan lohit loice loida loisl lojze lola londisizwe londiwe lonnie lorcan loredana lorelei lorenz lorenza lorenzo loretta
lorik lorin lorine lorna lotfi lothar loui louie louis louisa louise lovisa lovre lovro lowe lowie loyola loïc loïck loïs luan luana luara
luay lubomír luboš luca lucas lucca lucențiu luchino luciana luciano lucica lucie lucien lucienne lucrecia lucrezia lucreția lucrețiu lucy
lucyna lucía ludger ludivine ludmila ludmilla ludolf ludovica ludovico ludovicus ludvik ludvík ludwig ludwina luděk luigi luigia luigina
luisa luisana luitgard luiz luiza lujza lukas lukman lukáš luljeta lulzim luminița lumír luqmaan luqman lurhur lutf lutgardis lutgart luthfi
luuk luwar luyanda luzia luzius luzmira luís luísa lwandile lydia lydiah lydie lyndon lyndsay lyndsey lynley lynn lynnette lynsey lára
lászló láďa lâle léa léane léo léon léonie lídia lüfen lütfi lütfiyyə lýdia lýdie lėja lība līna lūcija ləman lətafət lətif lətifə maahir
maaike maajid maanas maanav maaria maarit maarja maarten maartje maawiya maaz maazin mabad mabel macaria macario macauley macharia macide
maciej maciek maddalena madelene madeline madhavi madis madiyan madyan mael maeva maeve mafalda maftuna magali magaly magarete magda
magdalene magdaline magdaléna magdi magdolna maggie magnus magnús magrit mahad mahaz mahbeer mahboob mahdee mahdy maheen mahfooz mahfud
mahfuj mahigül mahirə mahizər mahja mahmoud mahmut mahnaz mahsun mahter mahulena maicol maida maighread maike maiken maikol maimu maimunah
maingi mairead mairtin maisə maite maitê majda majdi majeed majella majken majvor makau makayla makokha maksimiljan maksymilian maksüde
makunga malachy malcolm malgorzata mallory malthe malvína malwina mamadou manaaki manaf manbir mandlakhe mandy manfred manlio manolo manon
mansurali manthan mantė manuel manuelita maqsud maraea marcell marcella marcelle marcello marcelo marcin marcsi marcus mareike mareikura
marese maret margaret margaretha margarethe margaritha margaud margaux margit margita margitta margot margoth margret margreth margrethe
margrieta margrit margrith maria mariadi mariah mariama mariana marianela mariangela mariann marianna marianne maribel maricel maricela
maricica maricruz marie mariechen marieke mariele mariella marielle marieluise marietta mariette marij marija marijan marijana marijke
marijn marika marilena mariluz marilyn marinette marinus mario marioara marisa marisela marisol marissa maristela maritta maritza marius
mariusz marián marjaana marjan marjanca marjeta marjo marjona marjorie marju marjut markku markus markéta marleen marlene marleny marlies
marliese marlis marlise marlon marlyse marlène marnix maroof maroš marsito marsudi marta martha marthe martijn martim martin martina martti
martyn martynas martí martín maruša marwa marwata maryadi maryann maryanne maryanto maryla maryline maryse marzena massiel massimiliano
massinissa matej mateo mateusz matevž matheo matheus mathew mathias mathieu mathijs mathilda mathilde mathis matija matilde matiu matjaž
matouš matteo matthew matthias matthieu matthijs matthäus matti mattias matts matyáš matías matúš matěj matīss maud maude mauno maureen
maurice mauricio maurilio maurin maurits mauritz maurizio maurus maurycy maximiano maximilian maximilián maximino maxwel mayerly maykol
maynur mayra maysa mayte maël maëlle maëlys małgorzata maşide maťo mbithi mboya mbugua mburu mcebisi mckenzie meabh meagan meaghan mechthild
mechthilde mechtild mecide mecit meelis mefarettin megha meghan meghana mehbarə mehdi mehdiqulu mehin mehman mehmed mehmet mehmetzahir
mehrigül mehrimoh meibh meik meike meinhard meinolf meinrad mekhala melaha melanie melany melchor meleknur melichar melihcan melike melikkan
melinda melitta melwin melánia melûl memili menfeat mengüç menişan merba merche mercyline meredith merete merethe mergim meriem merijn
merike merja mertel merva mervi mervin mervyn meryem meryeme merzuk meshack metinkaya meveddet mevlüdiye mevlüt meyhanim meyransa mezide
micael micaela miceal michael michaela michaele michail michal michala michaël michał micheal micheala michel michelangelo michele
micheletto michell michelle michelotto michiel michèle micke mieke miep mieszko mietek miguel miguela miha mihael mihaela mihai mihail
mihajlo mihels mihhail mihkel mihnea mihriye mihály miia miika mikael mikaela mikayıl mikels mikhail mikkel mikko miklós mikuláš milada
milay milcah mildred milica millaray millie milorad miloslav miloslava miloš miluše milvi mimmo mindaugas mindy minenhle minodora minurə
miodrag miray mirbadin mircea mirco mirdza mireia mireille mirek mirela mireya miriam miriama mirian mirja mirjam mirjana mirko mirlinda
miron mironshoh miroslav miroslava miroslaw miroslawa mirriam mirsad mirtha mirthe mirva miryam mirzə mirəli mischa mislav misra mitchel
mitchell mitchelle mitruț mitzy miyesser mizhir miķelis miłosz mkarkara mladen mlungisi mnqobi mofifoluwa mogens mohamad mohamed mohammad
mohammed mohamud mohand mohini mohinur mohlaroyim mojca mojisola mojisoluwa mojmír momanyi monalisa monica monicah monika monique monserrat
montse montserrat monča moraa moradeke morayo morenike morgan moritz morten mosunmola motunrayo mouloud mounir mourad mourib mourine moussa
moyosore mthokozisi muarra mubina mucahit muchiri mufide mugdha mugendi muhamed muhamet muhammad muhammadali muhammadamin muhammadamir
muhammadayub muhammadaziz muhammadrizo muhammadsafo muhammadumar muhammadziyo muhammed muhammet muhazzim muhiye muhsina muhyettin muireann
muiruri muizza mujde mukbile mukhwana mulwa mulyanto mulyono mumtoz munene munyao munyoki muratcan muriel murielle muriithi murilo murithi
muriuki murray mursalina mursinin mursita musafet musembi musfira mushtariy mustafa mustafo mustapha mustofa musyoka musyoki mutasım muthama
muthengi muthoka muthoni muthui mutie mutinda mutiso mutisya muxlisa muxtar muzayyana muzdahir muzdalifa muzhir mwanajuma mwanamisi
mwangangi mwangi mwaniki mwanzia mwasaa mwaura mwendwa mwikali mwiti myles myriam myrtha myrthe márcia márcio mária mário márk márton mátyás
märta märtha måns mégane mélanie mélissa míriam móni mónica mónika móric möhsim mübariz mübetcel mücellib mükramin mükrüme mülâyim mümtaze
münezzer münif müntəzir münəvvər müret mürsəl müslum müslüm müveddet müzəffər müğber müşkünaz müşüre māris mārtiņš mădălin mădălina mărioara
măriuca mədinə məhru məhəmməd məhərrəm məlahət məleykə məmməd mənsur mənsurə məryəm mərziyyə məsmə mətanət naadir naail naajy naasih naasir
naathim naazhim nabeeh nabeel nabhan nabigh nachiket nacio nadeem nadeschda nadeshda nadežda nadhir nadia nadine nadja nadège naděžda nae
naeem nael nafasat nafesa nafula nahiara nahidə nahuel naiara naibə nailə naim naimh najair najeeb najib najwa nakif naksh nalân namiq nand
nandini nanjala nanni nanə naoimh naoise naom naomh naomi naomy narhanim narimane narji narıngül nashipie nasim nasiru nasrullah nassim
nastja nasuf natalia natalie natalija natalio natalja nataly natan natanael nataniel natasa natascha natasha natasja natasza nataša natașa
nath nathalia nathalie nathaly nathan nathanael nathaniel natiq natália natálie natércia natālija natəvan nayara nayaret nayareth nayeli
nayfa nayibe nayil nazaret nazario nazende nazilə nazimet nazimə nazlihan nazlim nazmi nazıdil nağı ndegwa nderitu ndirangu ndue nduku
ndumiso ndunge nduta ndèye neal nebiha necati necdat nechifor necilal necmettin necva nedda nedjma nefaret nefiye neftalí nehemiah nehip
neider neil neill nejc nejdet nekesa nelah nelcy nelio nelli nellie nelsy nelu nenad neptün nerea neriban nerim neringa nermin nesfe
neslinur neusa nevaeh nevenka nevgin neville nevio nevsale neyran nezengül nezize neža ngaire ngari ngigi ngugi nhlanhla niall niamh nicanor
niccolò nichifor nichola nicholas nichole nicholus nicklas nickson niclas nicoară nicodemus nicodim nicolae nicolai nicolaie nicolaj nicolas
nicolasa nicole nicoleta nicoletta nicoline nicolás nicolò nicu niculina niculiță nicușor nicuță nidra niek niels nienk nienke nigar nigesa
niharika niilo niina nijaz nijolė nikita niklas niklaus nikodem nikola nikolai nikolaj nikolajs nikolaos nikolas nikolaus nikolett nikoletta
nikolina nikša nilcan nilda nils nilson nilufar nimakoah nina ninetta ninioluwa ninoska ninthe nirgül nirja nisə nitesh nives nixon niyazi
niyilolawa niğmet njabulo njagi njenga njeri njeru njiru njogu njoroge njue njuguna nkazimulo nkiruka nnamdi nneka noah nobuhle noeleen
noelia noeline noemi noemí nojus nokulunga nolan nolberto nollaig nomagugu nomalanga nomasonto nomathalente nomathemba nomcebo nomthandazo
nomvula nonhlanhla nonjabulo noora noortje norah norbert norberto norbey noreen normunds notburga nothando noud nout novruz noxolo
nozibusiso nozima nozizwe noémi noémie noëlla noëlle noëmi nqobizitha ntimi nuala nuhu nuno nunzia nunzio nural nuran nuranə nuray nurbanu
nurcan nurdeniz nuretdin nurettin nurey nurhayet nuria nuriat nuriya nuriyet nurmelek nurseda nursim nurtaç nurten nurulla nurullah nurveren
nurşan nurşən nurşərəf nuyan nuşirəvan nuša nwabudike nyaboke nyakundi nyamai nyambura nyanchama nyawira nydia nynke nyongesa nyoni nzioka
nzomo nádia nándi nándor nélia nélida néstor nóra nóri növrəstə núria nübar nüdret nürice nürəddin nüsrət nüşabə nəcəf nəfisə nərgiz nəriman
nərmin nərminə nəsib nəsimi nəzakət nəzrin oana obaid obanijesu obdulia obianuju obinna ocampo ochieng octav octavian octaviu océane odalis
odalys oddny oddný oddvar odeline odette odhiambo odhran odika odile odkanlı odongo oduor oeshi ofelia ofeliya oganer ogechi ognjen ogooluwa
oguş oisin ojasvi okan okanay okbay okechukwu okello okgüçlü okoth okto oktüremiş okyalaz oladare oladimeji olaf olajumoke olakunle
olanrewaju olansile olasunmbo olaug olav olavi olca oldağ oldrich oldřich oleg olegario olena olev olga olgierd olimpiu olina olinda oline
olivie olivier olivija oliviu olivér oliwer oliwia oliwier olli olof ololade oloo oluchi olufunke olufunmilayo olumorotimi oluoch oluwafemi
oluwagbemiga oluwakemi oluwamuyiwa oluwasanmi oluwasegun oluwole olwen olwethu olympia olívia omar omeir omisha omkaar omobobola omobolanle
omodunni omolabake omolara omondi omosalewa omotara omotayo omotola omotoun omowumi omran omya ondieki ondrej ondřej onesmus ongay onkar
onofre onuker onurcan onursu onutė onyango onyinye oona oonagh ophelia ophélie opiyo opwonya oqtay orazio orduxan oreofe orestas oreste
orfhlaith orgün orhan orinder orlagh orlaigh orlaith ornella orsola orsolya ortansa ortrud ortrun ortwin orxan orçin osiyo oskar oskari
oskars oskár osogo ossian osunleke osvald osvaldo osvalds oswald oswaldo oswin otabek otakar otay otfried othmar otilia otmar ottavio
ottfried ottilia ottmar ottokar ottomar ottó otávio otília otýlie otīlija ouanes oumar oumou ousmane oussama ovidio ovidiu oviya owais owen
owethu owino owuor oxana oyenike oyindasola oysha ozan ozansü ozioma oğulbaş oğurata oğuzman oļģerts oľga paavo pabla pablo paco padraic
padraig padraigh padraigin paige pakizə pallavi pam panagachie pankrác paola paoletta paolo paramita paraschiva parth parvez paskalia
pasqual patric patrick patrik patrizia patryk paul paula paulica pauliina pauline paulo pauls paulína paulīna pauric pavani pavao pavel
pavla pavle pawel paweł paľko peadar peader pearce pearse pedro peeter pehlil pekka pekkan pelaji pelayo pembesin pentti pepe pepijn peppe
peppino pepík percy perinur permun pernilla pernille pertti pervaiz peter petr petra petrana petre petrică petrit petrișor petrona petronela
petronila petros petru petrus petruț petruța petteri peyton peťo phanice phelim phelix phileine philip philipp philippa philippe phillip
philomena phineas phylis phyllis piera pierangelo piergiorgio piergiuseppe pierina pierluigi piermaria piero pierpaolo piersanti pieter piia
piotr piotrek pippo pirahmet piret pirjo pirkko pirmin pityu pleun plinio polad polly pompilia pompiliu pomponio pontus popobawa poul
prabawa prabowo prakosa pranav pranawa praneel pranit prasetya prasetyo pratyush pravoslav prayoga prayogo preben priit primož priscah
priscillah prisha priska priya przemek przemysław puccio purwanto pushti pál päivi päivikki pär pål pénélope péter péťa pünhan pătru pēteris
přemysl pəri pərişan pərvanə pərvin pərvinə pərviz qaadir qaasim qabeel qabil qadar qadeer qadim qadir qahtan qaim qais qalib qamar qamil
qani qanit qaratel qareeb qarin qaseem qasid qasif qasim qasım qatadah qawee qays qiyas qori qoşqar quadir qudamah quddoos qudoos quentin
quincy quinn quinty quique quirino quiterio qulam qulu qumru qurban qusay qushi qutaybah qutb qutub qönçə qüdrət qızbəs qədir qələndər
qənirə qəzənfər qəşəm raaghib raahil raamiz raashid raatib rabar rabbaanee rabbiye rabecca rabih rachael rachana racheal rachelle rachid
rachit rachita radek radeke radha radhee radhika raditya radka radmila radomír radoslav radoslava radosław radvilė radúz raees rael raewyn
rafael rafaela rafaella rafan rafay rafaél rafaël rafał rafeek rafeeq raffael raffaela raffaele raffaella raffaellino raffaello rafih rafila
rafiq raghav ragheb raghib ragna ragnar ragner ragnhild rahab raheel raheem rahiye raifə raihan raija raik raili raimo raimondo raimonds
raimund raimundo rainer raisa raissa raitis raivis raivo rajeshri raksha ralf ralph raluca ramadhan ramid ramil ramilə ramiro ramiz ramona
ramunė ramzi ramón ramūnas ranbir randall randolf ranieri ranveer raoul raphael raphaela raphaël raquel rareș rashid rashidi rasimə rasma
rasmus rastislav ratih raul rauno ravy rawiri rayaan rayan rayhona raymond raymonde raymund rayyona rayén raziyə raúl rebecca rebecka
rebekah rebekka rebihat redmond reece regan reginald regitse regitze regína regīna reidar reidun reijo reimar reimund reinald reinaldo
reingard reinhard reinhart reinhild reinhilde reinis remazan renaat renata renate renato renaud renee rengül renzo renáta reshoni respati
resulcan reuben revza rexhep reyansh reyhanə reyna reynaldo rezzak rhavi rhian rhianna rhianne rhiannon rhoda rhona rhonda rhys ricarda
riccardo ricciotti richardt richárd rickard ricky ridwan rietje rifat rigmor rigoberto rihards riho riikka riina riitta riivo rikard rikke
riley rimantė rinaldo rinor rinus risalet ritva riyad rizki rizvan ričardas ričards roald robby robert robertina roberto robiya robyn rocco
rochdi rochus rocío rodah roderich roderick rodgers rodney roel roelof rogelio rogério rohaan rohat rojnu roksana roland rolandas rolands
roldán rolf romek romeu romina romolo romuald romualdas romulus romy ronal ronald ronaldo ronan ronith ronke ronni ronnie ronny rony ronya
roope roosa rory rosalba rosaleen rosalia rosalinda rosalía rosamel rosanna rosanne rosarie rosaura roseanna rosemarie rosenda rosendo rosl
roslyn rosmarie ross rossana rostislav roswita roswitha rotich rotraud rotraut rouven rowena roxana roxane roxelana roy rozalia rozalija
roziya rozália rron ruairi ruari ruben rubén rudecindo rudolf rudolph rudra ruedi rufino ruggero ruggiero rugilė ruhiu ruhiyyə ruhshona
ruhugül ruhəngiz rukiye rumaysa rumeysa rupert ruperta ruqayya ruqiya ruqiyyə rushil ruslan rusnė rutger ruth ruthild ruud ruwaihim ruxanda
ruxsarə ruy ruzica ryder rysiek ryszard rytė rza régine réka rémi rémy róbert rómulo rövşanə rövşən röya röyal röyalə rúben rúnar rübabə
rübeyda rüdiger rüfət rüknettin rümeysa rüstem rüşen răducu răzvan rıfkıye rūdolfs růžena rəfiqə rəhilə rəis rəmziyyə rəna rəqsanə rəsmiyyə
rəsul rəxşəndə rəşad rəşid saabir saadat saadiq saafir saahir saaiq saajid saalim saanvi saaqib saar saara saariyah sabahat sabari sabas
sabbir sabeeh sabihe sabine sabiq sabirə sabrina saburah sabína sacidə sadao sadaqat saddam sadeed sadeti sadie sadije sadiq sadittin sadiye
sadıq safet safia safinaz safiya sahibə saiful sairah sakari sakip saksham saleh salif saliha salimah salimet salkın salohiddin salomea
salomey salurbay salvatore samahat samaksh samandar samantha samarth samir samira samirə samiya samuel samuele samuli samurtay samwel
samweli sanavber sanaya sandalio sander sandis sandor sandra sandrine sandro sandu sanela sanije sanne sanni santeri sanur sanyi sançar
saoirse sara sarafina sarah sardor sarita sarmīte sarpkın sarthak sarvinoz sarya sarıcabay sascha sasha saskia sathvik satrettin satya satıa
saul saumya saverio sayrak saïd saúl sağcan sağıt saša sašo scarleth scarlett scarlette scott seamus seana seanan seaneen seanna sebas
sebastiaan sebastian sebastijan sebastián sebastjan sebattin sebigül seblâ sedife segismundo seha sehel seija sejda selaheddin selcan selcen
selin selma selâtin selçuk semenica semra semrin senad sencar seona seosamh sepp seppo seracettin seraina sereina serezli serfinaz sergei
sergej sergey sergio sergiu sergius serhatmehmet serkan sernur serol servinaz servác seth setya sevcan sevdinar severin severino severín
sevgen sevginur sevican sevinc sevinch sevla sevsevil seydo seye seyfulla seyfullah seyfəddin seyhan seyithan seymur seyyide sezal sezginbaş
seçgül shaban shadrack shahnoza shahriyor shahzod shahzoda shakila shakira shamsuddeen shana shane shania shanice shanna shannan shannen
shannon shari sharlene shaun shauna shauneen shaurya shawana shawn shawna shay shayne shea sheelagh sheena shehu sheilah sheilla sheillah
shekoni shelby shelia shelley shelly sheree sheri sherri sheryl shiela shirley shivansh shohrux shpend shpresa shqipe shravya shukrona sibel
sibonelo sibongile sibusisiwe sibusiso sidar siddharth sidiq sidiqə sidonia sidónia siegbert siegfried sieghard sieglinde siegmar siegmund
siegrid siegried siegrun siegward sietske sifuna sigfrid sigfrido sigfried sigismund sigita siglinde sigmar sigmund sigrid sigrun sigrún
sigurd sigurður sigvard sihawukele siim siiri sijtje sijuade silanur silja silje silvana silvestro silvi silvia silvian silvija silvio
silviu silvo simber simen simeon similoluwa simina simion simiyu simon simona simonas simone simonetta simonne simphiwe simten simuzər simão
sinaida sinan sindre sindy sinead sinică sinikka siniša sintija siobain sioban siobhain siobhan siofra sione siphesihle sirje sirpa sissel
sitarə sithembiso sittik sivert sixten siyabonga sjaak sjef sjoerd sjors skaidrīte skender sladjana slavka slavko slavomír slavomíra slavěna
slawomir slávka smaranda sneha sneider snezana snježana snorre snorri soazig sofia sofiane sofie sofija sofía solfrid solveig solène
somadina somtochukwu songurkan songül sonia sonja sonnur sonya sophia sophie sophy soraia soraya sorcha sorin sorina sosimo souad soufiane
souma soumia sowande soydaner soykut soyselçuk soňa sphiwe srečko stacey stacie stacy staffan stancu stanislaus stanislav stanislava
stanislaw stanisław stanko stanley stasia stasys staszek staņislavs stef stefa stefaan stefan stefani stefania stefanie stefano steffen
steffi stefán steinar steini stelian steliana stellan stephanie stephany stephen stephene sterre steve stewart stian stijn stina stine
stjepan stéphane stéphanie subomi subutiye sudiksha sulhi sumayya sunay sunel suphi susann susanna susannah susanne sussanne sussie suus
suzana suzanna suzy suğra svatopluk svatoslav svava svein sven svenja svenning sverre svetlana svetozár sveva svätopluk swaleh swantje swen
swetlana syahrini sylivia sylke sylvain sylvana sylvester sylvia sylviane sylvie sylvio sylwia synne synnøve szabolcs szilvi szilvia szymek
szymon sándor sébastien sékou sérgio séverine sílvia sónia sönke sören sözer sørine sübhan sücaettin sücəddin südabə süha süheyda sükrü
süleyla süleyman sümerya sümeyye sürəyya sırriye sıylıhan sławek səadət səbinə səbirə səbuhi sədaqət səfurə səfər səhər səidə səlahəddin
səlim səlimə səma səmayə səməd sənan sənubər səriyyə sərvər sərxan sərəncam səxavət taahir taalib taamir taanish taariq taavi tabassum tabea
tabish tabita tabitha taciddin tadas tadeen tadej tadeja tadek tadeo tadeusz tadeáš tadhg tafazal tagangül tahawwur taheem tahir tahmaseb
tahseen taisir tajammal tajammul tajudinn talayer talhah talıb tamara tamaydın tamaşa tammie tamás tanay tanbay tandoğdu tangaroa tanguy
tangül tanhan tanimu tanish tanmayi tanpınar tanses tansev tansığ tanveer tanvi tanyolaç tanyu tarancı tarfaan tariyel tarzícius tasha
tassilo tatiana tatjana taufan tauno tautvydas tawkeel tayaydın taylak taylor tayyibe tayyip taçnur taşkan tecimer ted teea teerth tegan
teija tejs tekbay tekecan tekiner teknaz teksoy tellervo telma telmo temidayo temirhan temistocle temizkal temuçin tenzin teo teobaldo
teodor teodoro teodors teodosia teofil teohari teona teppo tercan teresa teresia teresita tereza terezija terhi terje terlan teréz terézia
teun teuta teuvo tevs teybet teymur teymuraz teymurçin tezcan tezol teófila teófilo thabani thabisa thabisile thaddeus thaddäus thalente
thales thandazile thandeka thandiwe thando thea theda thekla thelma thembeka thembekile thembile thembisile theo theobald theodoor theodor
theodora theodore theodoro theodoros theophil theres theresa therese theresia therése thiago thiare thibaud thibault thibaut thibo thierry
thies thijmen thijn thijs thilo thinhinane thom thomas thor thoralf thorben thorsten thuo thure thuthukile théo théodore théophile thérèse
tiago tiarna tiarnan tiberia tiberiu tibor ticen tichomír tiegan tiernan tihana tiia tiina tiit tiiu tijl tijmen tijn tijs tillmann tilmann
timea timm timmy timothy timothée timur timurtaş timéo tincuța tineke tirdad tirtayasa tirza tishk titilayo titin titus tivadar tiziana
tiziano tjaša tjeerd toader tobias tobiáš todd todor tofiq toivo toktuğ tokunbo toköz tolonbay tolulope toluwanimi tomasa tomasz tomaž tomek
tomislav tomislava tommaso tommi tomris tomàs tomás tonguç tonicha tonino tonje tonny tonya tonći tončka toomas toralf torben torbjörn
torbjørn torgny torhan toribio torill tormod torstein tovuz tozé toño toğan toğrul tracey tracy traian traude traudel traudl traugott travis
treacy triin tristan tristán triveni triya troels trond truus trygve trīne tsuma tuana tudor tudorița tudosia tuere tuija tullio tunahan
tunguç tunçboğa tunçkılıç tuomas tuomo turabi turanə turcein turid turxan tutkucan tuukka tuula tuulikki tuğcan tuğrulhan tuğtaş tuğçe twan
tycho tygo tyler tymon tymoteusz tyrone tyson tânia tímea tõnis tõnu tükelalp tükəzban tülay tümer tümkurt tünzalə türabi türcan türkalp
türkan türkanə türkmen türknur tüzeer tüzenur tālis tınal təhminə təranə tərlan ubaid ubaidah ubaldo ubay ubayd ubaydullah uberlinda uberto
ucchal uchenna uchita udant udyati ueli ufukay ugnė ugo uhban ujunwa ulakbey uldis ulduz ulf ulfat ulises ullrich ulrica ulrich ulrik ulrika
ulrike ultan uludağ ulutay uluğbey ulya umaarah umair umang umay umaya umberto ummahani umutcan umuşan unjani unnur uolevi upadhriti upasna
upkaar upma uraltay uriel urishilla uroš urrab ursel urszula urtė urvashi urša urška uršuľa uschi ushan usyi utkarsh utkucan utz uyanser
uzbay uzsoy uçbeyi uğan uğurkan uğurtan vafir vahidə vaida vaike vaishnavi vajèn vakris valary valdemar valdis valdur valdís valeh valentim
valentín valentína valentīna valeri valeria valerie valerij valerija valerio valeriu valero valeska validə vallary valmir valter valtteri
valère valèria valérie vamakshi vanesa vania vanja vansha vanya vaqif varenya varsha vasif vasil vasile vasilica vasilică vassilios vasudha
vasyl vaughan vavrinec vaysal vazeh vašek vecide vedhika vedran veera veerle veeti vefia vegard veijo veikko velga velitdin venancio
venceslás vendelín vendula veniamin venla verica verner verneri veronicah veronique verča vesna veysəl vezrife vibeke vicenta vicente
vicenția vicențiu vicki vickie vicky victória vidadi vidal vidhi vieroslava viesturs vigdis vigdís viggo vigilija viivi viktor viktors
vilayət vildane vilgot vilhelm vilhelmiina vilhelmina vilho vilius viljami viljem viljo villads villy vilma vilmer vilmos viltė vilém viman
vinaya vincenc vincentio vincenza vincenzo vincențiu vinicio vinicius vinko vinsen vinzenz vinícius viorel viorela viorica virgil virgilio
virginie virgis visarion visvaldis vitalija vittorio vivaan viveka vivian viviana vivianne vivien vivienne vizma viļums vjekoslav vjollca
vlad vladimir vladimír vladimíra vladislav vladislavs vlado vlaicu vlasta vlastimil vlaďka vlora vlădelina voichița voicu vojta vojtech
vojtěch voldemārs volker volkhard volkmar vratislav vrinda vrishti vritti vroni vurğun vusumuzi vyanjana vytautas vytė václav vânia väinö
víctor vítor vítězslav víťazoslav vüqar vüsal vüsalə vėjūnė věra vəfa vəfadar vəli waahid waail waajid waceera wachira wadee wadood wafae
wafeeq wafi wafiq wafula wahab wahb wahban waheed wahhaab wahhaaj waida waimarie wainaina wairimu wakeeta wakiman walburga waldek waldemar
waldtraut walentina walfried walli walter waltraud waltraut waltrud waluyo wamalwa wambua wambugu wambui wamwema wanda wangari wangila
wangui wanjala wanjiku wanjiru wanjohi wannes wanyonyi warda wardaya warhi warinder warjas warji warre warsita warwick wasis wassim watika
wawan waweru wayne weddy weena wekesa weldon wenceslao wenche wencke wendelin wendolin wendy wenke wenzel wera werner weronika wesley
wesonga wessel whitney wibke widisha widya wiebke wieland wiesiek wieslaw wietske wigbert wiktor wiktoria wilber wilfred wilfredo wilfrido
wilfried wilfriede wilhelm wilhelmina wilhelmine wilhelmus willem willfried willi william willian willibald willibert willis wilma wilman
wilmar wilmer wilson wiltrud wim winfred winfried winifred winnie wirda wiremu wishi wisnu witek witold wladimir wojciech wojtek woldemar
wolfgang wolfhard wout wouter wriddhish wridesh wuraola wyatt wycliff wycliffe wálter xalid xalidə xaliq xalisə xaləddin xanana xander
xankişi xanlar xanım xatirə xaver xavi xavier xavər xhavit xhemal ximena xiomara xobeen xolid xosrov xudaverdi xudayar xudu xəlil xəyal
xəyalə xəyyam yaaseen yachana yacine yadavi yadid yadira yael yafi yafir yaghnam yagnesh yago yahia yahvi yahya yahyaa yahyo yahşikan yair
yaiza yakobo yalazabay yaltırak yameen yamid yamile yamilet yamin yamən yanara yance yanet yaneth yanick yanik yanina yanira yanis yann
yannic yannick yannik yannis yaqeen yaqoot yaqub yara yaritza yasaar yaseen yasemen yash yashasvi yashawini yashem yashica yashoda
yashodhara yashvi yasin yasina yasinta yasir yasmin yasmina yasmine yasmín yasna yasser yassin yassine yasəf yasəmən yathrib yatin yauvani
yavər yawar yawer yayak yazeed yazganalp yazgül yazmín yağızkurt yaşattin yda yecid yeferson yeganə yeimy yeison yejide yekbun yekda yelesen
yeneral yenifer yenny yeny yeraz yergha yerko yerson yertan yesenia yesica yesid yesoob yessenia yessi yessica yetişal yetunde yewande yfke
yigit yilmaz yineth yinthe ylenia ylva ylvie yngve yocelyn yochana yohan yohana yohane yohann yolal yolande yolima yonatan yonathan yono
yordan yoruç yosef yoselin yoshita youba youcef younes yousef yousra youssef yrjö yrsa yudy yuli yulia yuliana yuliet yulieth yuly yuni
yunis yunita yunt yunus yurani yurany yurdanur yurdaser yureed yuri yuridia yurtgüven yurtseven yury yusif yussuf yusuf yutika yuvraj yvan
yves yvette yvon yvonne yésica yéssica yümun yəhya zaafir zaahid zaahir zaakir zabir zablon zacarías zacharia zacharias zacharie zachary
zackariya zaeem zaenab zafeer zafrul zahaar zaharia zaheer zahfer zahnya zahra zahri zahro zahrun zahur zaib zaid zainab zainabu zaira
zaitra zakaria zakariyo zakayo zakhele zakir zakiyaxon zalindra zalán zamiq zamira zansi zarəngiz zashil zauqi zaweel zayan zayd zaynab
zayyan zayyir zbigniew zbyněk zbyszek zdena zdenka zdenko zdeněk zdeňka zdislava zdravko zebirce zef zeferino zehaan zehnia zehra zehranur
zekayi zelaya zeliha zeljko zelma zemfira zenek zennun zeno zenobia zenovia zenta zenzele zenzi zenzile zerafet zerdad zeride zevlüde zewad
zeynal zeynelabidin zeynep zeyno zeynulla zeynəb zeynəgül zibeydə zibuyile ziggy zigrīda zikmund zilfa zilmil zimran zinal zinhle zinnura
zinnure zinət zipporah zita ziutek ziyaettin zlatan zlatko zoey zofia zoila zoja zoltan zoltán zoraida zoran zorica zorka zosia zoë zrinka
zsanett zsigmond zsike zsolt zsuzsa zsuzsanna zsuzsi zsófi zsófia zubayr zubeyde zuhri zulaikha zulema zulfa zulma zunilda zuwayhir zuwena
zuza zuzana zuzia zuzka zvonko zwatie zélia zélie zöhrehan zöhrə züfer züheyla zülbiye züleyxa zülfiyyə zülfüye zülgarni zümrüd zəhra
zəkəriyyə zəminə zərdüşt zərif zərifə zərnigar ábel ádám ágatha ágnes águeda ákos álex álvaro ángela árpi ásdís âdem âlemşah ângela ângelo
änne åbjørn åge åsa çamok çapkan çavuldur çağveren çelem çelikkan çelikyürek çetinsu çeviköz çevregül çilga çimnaz çinarə çinerk çingiz
çiçək çokan çoğay çıdal èric édgar édith édouard éliane élisabeth élodie éloi éléonore émeric émile émilie éric érica étienne éva ëakumbu
íngrid ísak ísis íñigo ólafur ólafía óliver ólöf óskar ökkaş öktürk ömer ömriye öngen önsal örik örjan öryürek östen özakan özalpsan özaslan
özay özbay özbilek özbilge özdal özdil özdoğdu özerdinç özertem özger özinal özkent özkutlu özokçu özpetek özpınar özsözlü öztek öztürk
özyurt özçam özüdoğru öğet øivind øjvind ørni øvli øystein øyvind úrsula übeydullah üge ülfət ülküdeş ülkər ülle ülo ülvi ülviyyə ümid
ümmahan ümmühan ümray ünal ünek ünsever ünübol ürfettin üzeyir þórhildur ādams ādolfs đuro ērika ēriks ēvalds ğanim ģederts ģirts ľubica
ľubomír ľubomíra ľubor ľuboslav ľuboslava ľuboš ľudmila ľudovít łukasz şabettin şadıman şafii şahat şahdiye şahinbey şahinder şahmar
şahmettin şahnaz şahnuray şahvələd şahıgül şakir şamiha şamxal şavki şazime şefiye şehamet şehreban şehza şekim şelâle şemsettin şemsinisa
şendoğan şenkal şennur şerafeddin şerman şevketfeza şeyda şide şilan şinasi şirivan şirzad şuayp şövkət şükri şükufə şüküfe şıxı şəfa şəfiqə
şəhla şəhrəbanu şəlalə şəmsiyyə şərafət şərəfəddin šarlota šimon štefan štefanija štefica štefka štefánia štěpán štěpánka žan žaneta žanis
željka željko želmíra žemyna žigmund živilė žofia žofie žygimantas șerban ștefan ștefana ștefania əbdül əcəbnaz ədalət ədibə əflatun əhliman
əhməd əhəd əjdər əkbər əkrəm əli əliş əliəkrəm ələkbər ələsgər əmin əminə əmir əntiqə ənvər ərtoğrul əsgər əsmər əyyub əşrəf άλκηστις
άνθιμος άννα άρης άρτεμις έκτορας έλλη ήλια ίκαρος αίας αβραάμ αγάθη αγάπιος αγαθάγγελος αγαθοκλής αγαθόνικος αγαμέμνων αγγελής αγησίλαος
αγλαΐα αγόρω αδάμ αδαμάντιος αδαμαντία αθανάσιος αθηνά αθηναγόρας αθηνοδώρα αθηνόδωρος αικατερίνη αιμίλιος αιμιλία αιμιλιανός αλέξανδρος
αλέξιος αλίκη αλεξάνδρα αλεξία αλκιβιάδης αλκινόη αλκμήνη αμαλία αμβρόσιος αμφιθέα αμφιτρίτη ανάργυρη ανάργυρος ανέστης ανανίας αναξαγόρας
αναστάσιος αναστασία ανδρέας ανδριανή ανδροκλής ανδρομάχη ανδρομέδα ανδρονίκη ανδρόνικος ανθή ανθούλα ανθούλης αννίκα αντίγονος αντίπατρος
αντιγόνη αντωνία αντύπας αντώνιος απολλωνία αποστολία απόλλων αρέθα αρίσταρχος αργυρούλα αργυρώ αργύριος αριάδνη αριστέα αριστείδης
αριστομένης αριστοτέλης αριστοφάνης αριστόβουλος αρτέμης αρτέμιος αρτεμισία αρχέλαος αρχιμήδης αρχοντία ασημάκης ασημίνα ασημούλα ασκληπιός
ασπασία αστέριος αστέρω αταλάντη αυγέρης αυγουστίνα αυξέντιος αφροδίτη αχιλλέας αχιλλεία αύγουστος βάιος βαγιανή βαλάντης βαλάντω βαλέρια
βαλέριος βαλεντίνα βαλεντίνος βαρβάρα βαρδής βαρθολομαίος βαρσάμος βαρσαμία βασίλειος βασίλης βεατρίκη βελισσάριος βελισσαρία βενέτιος
βενετία βενιζέλος βερονίκη βερόνικα βησσαρία βησσαρίων βικέντια βικέντιος βικτωρία βικτόρια βιργινία βλάσης βλάσιος βλαδίμηρος βλασία
βρασίδας βρυσηίς βύρων γαβριέλλα γαβριήλ γαλάτεια γαλάτιος γαρύφαλλος γενοβέφα γεράσιμος γερασιμούλα γεσθημανή γεώργιος γιάννης γιαννούλα
γιασεμή γιολάντα γιώργος γκίκας γκόλφω γλαύκη γλυκερία γρηγόριος δήμητρα δαβιδούλα δαμιανή δαμιανός δανάη δανιήλ δημήτρης δημήτριος
δημοσθένης δημούλα δημόκριτος διαμάντω διαμαντής διαμαντούλα διδώ διογένης διομήδης διονυσία διονύσιος δομήνικος δωροθέα δωρόθεος δόμνα
ειρηναίος ελένη ελέσσα ελεονόρα ελισάβετ ελισσαίος ελπίς εμμανουέλα εμμανουήλ επαμεινώνδας ερασμία ερατώ εριέτα εριφύλη ερμής ερμιόνη
ερμόλαος ερρίκος ερωτόκριτος ερωφίλη ευάγγελος ευαγγελία ευανθία ευγένιος ευγενία ευδοξία ευδόξιος ευθαλία ευθύμιος ευκλείδης ευλαμπία
ευμένιος ευπραξία ευριπίδης ευρυδίκη ευρύκλεια ευσέβιος ευσεβία ευσεβεία ευστάθιος ευσταθία ευστράτιος ευστρατία ευτέρπη ευτύχιος εφραίμ εύα
ζήνων ζαμπέτα ζαμπία ζαφείρης ζαφείριος ζαφειρία ζαχαρίας ζαχαρούλα ζηναϊς ζηνοβία ζηνόβιος ζησούλα ηλέκτρα ηλίας ηλιάνα ηρακλής ηρόδοτος
ησαΐας θάλεια θέκλα θέμης θέτις θαλής θεανώ θεμιστοκλής θεμιστόκλεια θεοδοσία θεοδούλη θεοδόσης θεοδόσιος θεοδότη θεοδώρα θεοπίστη θεοτόκης
θεοφάνης θεοφίλη θεοφανία θεοχάρης θεοχαρούλα θεόδουλος θεόδωρος θεόκλεια θεόπιστος θεόφιλος θεόφραστος θεώνη θηρεσία θησεύς θουκυδίδης
θρασύβουλος θωμάς θωμαίς ιάκωβος ιάσονας ιάσων ιακωβίνα ιγνάτιος ιγνατία ιερεμίας ιερόθεος ιερώνυμος ινώ ιοκάστη ιορδάνης ιορδανία ιουλία
ιουλιανός ιούλιος ιπποκράτης ιππολύτη ιππόλυτος ισίδωρος ισαάκ ισαβέλλα ισιδώρα ισμήνη ιφιγένεια ιωάννα ιωάννης ιωακείμ ιωνάς ιωσήφ ιωσηφίνα
κάρολος κίμων καλλιρρόη καλλιρόη καλλιόπη καλυψώ καρυοφυλλιά κασσάνδρα κασσιανή κατερίνα κηρύκος κικιλία κλέαρχος κλήμης κλαίρη κλεάνθης
κλειώ κλεομένης κλεονίκη κλεοπάτρα κλεόβουλος κλεόπας κλημεντίνη κοκκώνα κομνηνή κομνηνός κονδυλία κοραλία κορνήλιος κορνηλία κοσμάς κρινιώ
κρυστάλλης κυβέλη κυδωνία κυπαρισσία κυπριανή κυπριανός κυριάκος κυριαζής κυριακή κωνσταντία κωνσταντίνα κωνσταντίνος κωστούλα κώστας
λάμπρος λάσκαρης λέανδρος λήδα λαέρτης λαζαρία λαμπρινή λασκαρίνα λαυρέντιος λαυρεντία λεονάρδος λευκοθέα λεωνίδας λεωνιδιά λεώνη λητώ
λουίζα λουδοβίκος λουκάς λουκία λουκιανός λυκούργος λύσανδρος μάνθα μάρθα μάριος μάρκος μένανδρος μίνωας μαγδαληνή μαγδαληνός μακρίνα
μαλαμάτη μαλβίνα μαντώ μαρία μαρίνος μαργιέττα μαριάνθη μαριάννα μαριγώ μαριλένα μαρκέλλα μαρτίνος μαρωτέσα ματίνα ματθίλδη ματθαίος ματρώνη
μαυρίκιος μαυροειδής μαυρούδης μεγακλής μεθόδιος μελέτια μελέτιος μελίνα μελπομένη μενέλαος μερκούριος μερόπη μεταξία μικές μιλτιάδης
μινέρβα μιράντα μιχάλης μιχαέλα μιχαήλ μυρτώ μόσχα νέαρχος νίκανδρος νίκος νίκων ναθαναήλ ναπολέων ναταλία ναταλίνα ναυσικά νεκτάριος
νεκταρία νεοκλής νερατζιά νεόκλεια νεόφυτος νικήτας νικητία νικολέτα νικολίτσα νικόδημος νικόλαος νταίζη ντανιέλα ξανθίππη ξενοφών οδυσσέας
οδυσσεύς ορέστης ορφέας ουρανία πάρις πάτροκλος πέτρος πίνδαρος παναγής παναγιώτα παναγιώτης πανδώρα πανορμίτης πανταζής παντελία
παντελεήμων παντούλα πανωραία παράσχος παρέσσα παρασκευάς πασχάλης παταπία παυλίνα παυσανίας παύλος πελαγία πελοπίδας περικλής περικλεία
περσεφόνη πηνελόπη πιερρίνα πλάτων πλούταρχος πολυζώης πολυκράτης πολυξένη πολυτίμη πολυχρονία πολύβια πολύβιος πολύμνια πουλχερία
πραξιτέλης προδρομία προκόπιος πυθαγόρας πωλίνα πύρρος ράλλης ρέα ρήγας ρίζος ραλλία ραφαήλ ραχήλ ρεβέκα ρεβέκκα ρεγγίνα ρηγούλα ροδάνθη
ροδαμάνθη ροδόκλεια ροδόφλος ρουμπίνη ρωμανός ρωξάνη ρόζα σάββας σάρρα σέργιος σαββούλα σαλώμη σαμουήλ σαπφώ σαράντης σεβαστιανή σεβαστιανός
σεμίνα σεραφεία σεραφείμ σιρανούς σμαράγδα σουμέλα σοφοκλής σπάρτη σπήλιος σπυράννα σπυριδούλα στέλλα στέλλιος στέργιος σταμάτης σταμάτιος
σταματίνα σταυρούλα σταύρος στεργιανή στεργιαννώ στεφανία στυλιανή στυλιανός συμέλα συμεωνία συμεών συμεώνη σωζούσα σωκράτης σωτήρης
σωφρονία σόλων τίμων τίτος τατιάνα τερψιχόρη τζένη τζανέτος τηλέμαχος τηλεμαχος τιμοθέα τιμολέων τιμόθεος τριαντάφυλλη τρυφωνία τρύφων
τσαμπίκα τσαμπίκος υακίνθη υβόννη φαίδρα φαίδων φανή φανουρία φανούριος φεβρωνία φερενίκη φιλήμων φιλίππα φιλαρέτη φιλιππία φιλιώ φιλοθέη
φιλομήλα φλοριάντ φλωρίνα φλωρεντία φλώρα φοίβη φοίβος φρίξος φραγκίσκος φραντζέσκα φρειδερίκη φρειδερίκος φρύνη φωκάς φωκίων φώτιος χάιδω
χαράλαμπος χαρίκλεια χαρίλαος χαρίτος χαραλαμπία χρήστος χρίστος χριστίνα χριστιάν χριστιάνα χριστοδούλα χριστοφόρα χριστόδουλος χριστόφιλη
χριστόφορος χρυσάνθη χρυσοβαλάντω χρυσούλα χρυσόστομη χρυσόστομος χρύσανθος όθων όλγα аарон аблен авгия августиан августин авдей авел авер
аверкий аверно аверьян авигея авксентий аво аврели аврелий аврелій автоном агап агапи агапий агатопод агафон агафья аггей аглай аглая
аглоида агнеш агоп агъци адалберт адам адамина адеан аделин адем адра адриан адрианиа адриян аела азар азарий айдемир айрен акашия аким
аксакусти аксентия аксидан аксинтия акулина алания алберт албияна алдин алевандър алевтин алевтина алег алек алекзандриян александар
александр александра александрина алексей алексеј алексиа аленка алиана алина алисия алтая альберт альбіна аліна амалія амбър амвросий
амвросій амория амос ана анамария ананий анастасия анастасія анатолий анатолия андика андрей андреј андриана андрон андроник андрій анелина
анета анжела анжелика анза аникей аникита анисим анита аница анна антип антоалина антон антонела антонин антонина ануша аніта аполинария
аполлинарий арефий аристарх аркадий аркадия аркадій арсений артем артемий артём архип аселина асифа аскольд астромерия атанас афанасий
афиноген бажен балина бацислава беатрис белисима беломира бенелена беримир берин берислава берия беро берослав бетина бетино бечо билена
билян билјана бинко биньо бисенти биянка благица благодатка благомир благосвет благосвета богдалина богдан богданна богодар богой боголюб
богородка богослав богуслав богуслава бодромир бодурка божан божидар божик божимир божин божинел божинела божко божурка бойчо болеслав
бонислав бонифация бонко боно борис бориска борислав борянка бригита бронислав бронислава будимир вʼячеслав ваклина валентин валентина
валерий валерия валерьян валерій вангелия ванухи ваня варлаам варфоломей варфоломій васенка васил василий василина василиса василка василь
васка вацлав вашиля велиана велимир велинна велиянка венедикт венеция вениамин венислава венчислава веніямин верислава веселинка весислав
весо веспасиян ветко веца вечко вигалот виделин видин видое видослав видю викенти викентий виктор вилиан вилизар вилизара вилислав вилиян
вилхема винету винко винсънт винченцо виолин виржиния висарион виссарион виталий витлян витомир витомира витош вихрони вичо вишетин владилен
владилена владимер владимир владислав владлен владлена влатко вова войнка володимир володимира всеволод всемил всеслав вула въльо върбунка
въца вышеслав вячеслав віктор віолетта віталій галактион галентин галиен галимир галина галиян ганислав ганна гануца ганцомир ганчо гаро
гатьо гацо гвардиана гвоздейка гедеон гелемир генади генадий генислав генко геннадий геннадій гено генчо геодим геомил георгелена георги
георгий георгица георгій герасим герга герган гергей гергелюб гергин геро гертруда герчо гетислав гетко гецо гечо гешо гивеза гиздален гико
гилдрой глафира глеб гліб гордана гория гостомысл гоца графица гремислав грета григорий григорій гримяна гриша гроздинка гъда гюгра гюргя
давид давыд дамяна дамјан данелина даниел данила данило данимира даница данна дарданела дарина дария дарија дарко дарья дафинка даша деа
делиана делчо делян деляна демʼян дементий демид демир демирела демьян демян дениандра дениз деника денимир денис денислав дениславена
дениян денчо дердидас десилиан десимиляна десимир десислав десияна деслав деспин деспинка детелин дефлорина дечо дечю дея деян джана джанер
джанко джиневра джулия диаманди диамантина диан дивизие дида дидко диего дилмана дилян дима димитар димитра дмитрий дмитро добромысл
доброслав доменика доника дорина дорофей доча драгица душан евангелина евгений евгения евграф евдоким евдокия евлампий евпраксия евридика
евсей евстати евстатий евстафий евстахий евстигней евтим евфросиния егор едвин едит едита едрю едуард екатерина еким ектар ектор елвис
елдора елеан елемаг еленица еленко елеонета елиан елиас елиезер елиз елизабета елизавета елизар елисей елисия елица елко елма елфида ельо
еманоил емануел емануил емануила емельян емил емилиан емилиян емма емілія ендо еница енчо еньо еню епифан ервин ергана ередин еремей еремия
ерик ермил ермиля ермолай ерол ерофей ерсен еріка естела етиен ефим ефимена ефка ефрем ефросиния жаклин жанин жанна жейна желязка женимира
женя живомира жорка жулиана заварин завен замфир занго занка занко зарко зафа зафер зафир захаринка захо звездемира звездислав звездиян
звездомир здравелин здравелина здравко здравчо здухостина зенгин зинаида зинко зинови зиновий зиновій златея златимир златиян златко
златогор златозар златомир златомира златослав златослава златоцвет златьо зоичка золтан зорян зосима зоя зузичка ивалена ивамина иван
иванеса иваничка иванка иванна ивелиана ивинка игнатий игор игорь изидора измаил изот изяслав иларион илеана илианна илинда илиомар илич
илия илиян илија илка илко илчо илья имилиан инан ингемунд инеса инко иннокентий инчо иосиф ипат ипатий иполит ипполит ира ираида ираклий
ириан ирин ирина ириней иринеус ириян ирко ирла ирма ирник исай исак исидор исихия искър исперих истан истатко истилияна истилян исус итко
ихтиандър ицо ичо йено йеремия йоан йоана йоанна йован йованка йовица йовко йово йовро йовцо йовчо йожи йоил йоко йолина йолиян йолко йоника
йосип йоханна кадифейка калея калиса каллистрат калуда камілла кануша капитон карамелита карен карин карл карло кармен каролин карчо касьян
каталинка катерин катерина катинка катя каунка кветослава кеворк керанка кимба кимбо кимон кимчо кин кинка киприслав киприян кириен кирил
кирилл кирило кирчо киряк киряки киряко китодар китомир клавдий клавдия клавдія клара клеуна клим климент клоя козма койно койо койчо
кокимира колчо кольо коля комнин кондрат кондратий конон константин константина корнелия корнил костадинка костя костянтин кралина красидара
красияна кристабела кристиана кристина кристия кръстанка ксандриния ксения ксюша кузман кузьма куприян кьнина лаврентий ладимир ладислав
лазарь лалка лалко лальо ламби ламбо ламбю ланселот лариса ласкар ластър латко латьо латю лаца леандър левко левчо ленин ленко леон леонид
леонтий леонтій леонід леопольд лесь летисия лефтер леша либерта лидийка лидия лиза лилко лилчо лилян лилянка лилјана линда лихия личо лия
ловчо лозанка лозен лонгин лоранс лорена лукʼян лукан лукия лукьян лулчо лусио лусия лучезар лъчезарка любина люблина любомир любослава
любосмысл людмила люсила лёша ліза магдалена мадлен максим максимилияна максимильян малтина маноел манол манолина маноло мантас мануил мануш
манчо маньо марʼяна марангони маргит марек мариан марий маринел маринета маринчо мариоллита мариотка маритна мария мариян марија марк маркус
марлена мартиниян мартын мартьян маруся маруш марфа марчело марія марјан матвей матей матьо матю махно маша медиха мелания мелъди мерилин
меропа месак метакса мефодий мечислав миглена микита миколай милан милара милдия милен милена милиана милица милован минка миранза мирон
миропа мирослав мирјана мисла митко митофан митошка михаил михайлена михайлина михайло михей миша младлена модест моисей мокей момера моника
мстислав мушана мілена наводненка надица надка назар наина найо найчо наке нако нанко нансимир нанчо наню наркис нарцислав наско настимир
настия настрадин настя наталья наталія натан натанаил наташа натко нафисат нафтали нацко нацо начиян начко начо невенко невилиян невян
негослав негрита неделин неделчо неделяна недислав недко недьо недю недялко нейка нейко нейчо нелида нелко нелла нелчо ненсислав ненчо
неокли неолина нерес нестор нешка нигрита никандр никанор никита никифор никодим никоела никола николай николина никон нина нинель нионила
нифонт нонна нурета ніна обретим ованес огин огнемир одарка оксана оксенія октавия октябрина олег олек олекса олександр олена олесь оливера
олимпи олимпий ольга оля омелян омуртаг оник онисим онуфри онуфрий ончо опанас орест орина орлеана орлин орфей орхип орце остап остромир
оханес охрім павел павелин павилия павко павле павлик павлинчо павло павломир паисий пако палвира палмиро паломина панай панайот панделис
панкрат панкратий панкртийян панталей пантелей пантелеймон панто пантю панфил панчо паолина парамон параскев парашкев парашкеван парашкевица
парунка парфен паспанахил пато патрик патьо паулин паулина пацо пачо паша пейко пейо пейодон пейолина пейтан пейчин пейчо пеко пелагея пелай
пенко пенчин пенчо пеньо пепелота пепино пепислав пепо периана перикъл персиана перчо петар петиконгрес петинка петкан петко петр петраки
петрана петре петрийка петринел петро петрозар петромил петромира пилип пимен платон плодовитка полексина поликарп полина порфирий потап
прасковья прина прокл прокофий пролетина простисвета прохор прохір пріска първолетка радимира радислав радован радосвета радостка раинка
раиса райничка рамина рангел рандю расате ратибор ратмир рафаил рачко рачо рашо раян реан ревка регина ренгия риана римма риналдо ристо
ристя ричард ричерд роберт роберто робин робърт рогелина рогена родион розалин розалія розин розка розоцвет ройо роксан роксана роксолана
ромел ромелина ромео ромил ромолета ромул роселина росенка росимир росислава роска роско ростиана ростимир ростислав ростислава рубен ружка
румислава русалия руслан рюрик сабина савва савватий савелий самсон самуил сахория саша сашо светлана светломир светломира светлю светозар
светослав свободка святополк святослав святослава світлана себастиан себахтин севан севар севастин севастьян севдалин севдан севделина
севелин северин севета седефчо селиван селиверст семен сергей сергелинка сергій сережа серёжа сеслав сибила сигизмунд сидер сидония сидор
сиен сиена силаги силантий силвестър силви силвио силвиян сильвестр силян силяна симеон симо симон симона синклитикия синтия сирман сисоя
сифоня славдо славейко сладоледка смехотерапия снежана сніжана сократ соломон соломія софийка софия софон софрон софія соња спартак спасияна
спирела спиридон стависара стаматка станиела станимир станимирка станислав станіслав сташа стефан стефани стефанија стеяна столетка сузана
съвестина сърменка таисия тамара таня тарас татьяна ташимира твердислав творимир теа телефонка темира теодор теодора теодоси теодосий
теодослав теодостин теофан теохар тервел тереза терентий тетяна тигрони тилиана тило тильо тимо тимон тимотей тимофей тимофій тимур тимчо
тино тинчо тит тихол тихомир тихон тишо тијана тоанета тоде тодомирка тодор тодораки тодорин тодорина токимир толек толиана толя томас
томинка томислав томо тонимир тонислав тоницвета тончо топалко тополко тотко тотьо тотю тоцо тошка трајче трифон трифонка трофим трохим
труфана туфка улиана ульян ульяна урима устим устин фабияна фадей фаина фатиме феврония федор федосий федот федір феликс феоктист феофан
ферапонт фикия филарет филатей фили филидан филимон филион филип филипас филипопол филипп филко филомир филчо фильо фимка финдо фиро фирс
фирчо фичо флавия флорентин флориан флорика фома фортунат фотий фотинка францислав фрацил фреди фродо фрол фронка фуко фьодор фёкла хавтелин
ханко хараламби харалампи харалан харбингър харитон харитония харлампий хасан хасатин хачо хебър хектор хенриета хернани хефестион химинай
хинка хинко хино хома хороз храбрин хранимир хранислава хрелко хрельо хрисанка хрисимир хрисо христа христалин христела христивилин
христиела христилиан христилияна христина христо христодор христоелена христозар христомил христомир христослав христофор христя хрисчо
хрондел хрусан хубавен хубан хубен цанета цветана цветанка цветелина цветилена цветлина цветолилия цветяна цеца цоню цоня цоцо цочо цъки
чавдар чанкете чанко чано чаньо чардафон чардафона чачия чачо чедомир ченко ченю черньо чеслав чийо чона чонар чони чоно чоню чочо чочомир
чубрик чубрина чудомир чудослав шабан шанко шаноу шеки шена шенко шенол шехерезада шибил шидер шинко шипчан ширко шишман шкодри шмильо шмулю
шпилко щедрин щедю щено щеню щериана щерион щериян щерко щерьо щефания щилиян щилян щилянка щирян щоно щтилка щтърбан щтъркан щурк щърбан
щъркан ъглен ъгленка ълен ърнест ъруин ърчо ъчка ьобирдар эдуард элеонора эмилия эмиль эммануил эраст эрнест эрнст ювеналий юлиан юлиена
юлий юлия юлиян юля юнона юрдан юрий юрита юстианна юстим юстин юстина юстиниан юхим яблен ябленка ягодин язо якоб якослав якуб ялислава
янадин янаки янакин яначко яне янег янедин янек яни яниел яник янимир янина янис янислав яниславия яничко янка янко янкул яномил януарий
януш янцислав янче янчо ярно яромир ярополк ярослав ярослава ярце ярчо яръм ярю ясер ятан ятана яцо ячо яшар яшка яшо яшон ѓорги ѓорче єва
євген єлисавета єлисей єфрем іван ігнат ілля ірена ірина јане јован јована јовче`;
