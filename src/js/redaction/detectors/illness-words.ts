// Words for illnesses in other languages than English. Their stems are Latin and Greek, or those of each language.

/** Beginnings of words, in lower case without accents. */
export const STEMS = [
  "diabet|diyabet|cukrzyc|cukrovk|cukorbet|sukkersy|zuckerkrank|suikerziekt|sokerita|astm[aeiuy]|asthm|asztm|astım|epilep|padaczk",
  "hyperton|hypertens|hiperton|hipertens|ipertens|bluthochdr|nadcisn|depressi?on|depress[aei]o|depresi|depresj|depressz|masennu",
  "kar[cz]inom|carcinom|kanker|kræft|kreft|cancer|syopa|nowotw|nador|rakovin|tumor|leukemi|leukami|leukaemi|leucemi|lymphom|lymfom|linfom|melanom",
  "migren|migran[ea]|migraine|emicran|enxaquec|jaquec|bronchit|bronkit|bronhit|bronchiol|hepatit|zołtac|zloutenk|arthrit|arthros|artrit|artroz|artros|gastrit|nephrit|nefrit|cystit|cistit|dermatit|pan[ck]reatit|pneumoni|pnevmoni|polmonit|neumoni|lungenentz|meningit|tonsillit|ap+endici",
  "(?:nieren|herz|leber)insuff|insuffizi|infarkt|infarto|infarct|zawał|schlaganf|beroerte|hjerneslag|hjernebl[øo]d|slagtilf|vorhofflimm|fibrill|fibrilac|fibryl|aritmi|arritmi|arrhythm|rytmi?haeir|katarakt|cataract|catarat|glaukom|glaucom",
  "demenz|demens|demenc|alzheimer|parkinson|scleros|sklero[sz]|osteopor|schizo(?:ph|f)ren|tuberkul|tubercul|gruzlic|anami[ea]|anemi|niedokrw|endometrio|zoliak|coeliak|celiak|celiaqu|celiachi|rheuma|reumat|crohn",
  "schwangersch|schwanger|enceinte|embaraz|gravidez|gravidita|ciaz|tehotn|terhes|raskaana|zwanger|hamile|gebelik|fraktur|fractur|frattur|złaman|zlomenin|skolios|scolios|psorias|ekzem|eczem|egzam[ay]|egzem|neurodermit|anorexi|anoressi|bulimi|thrombos|trombo[sz]|tromboembol|zirrhos|cirro[sz]|cirrhos|hypothyr|hipotir|ipotiroid|hypotyre|endokardit|sarkoido|borelio|borrelio",
  "ветрянк|гриж|камн[иі] в|фибромиал|фіброміал|аут[иі]зм|сифил|варфарин|мениск|аллерг|алерг|ангин|ангін|язв[аеоу]|виразк|тиф|диабет|діабет|астм|эпилеп|епілеп|епилеп|гипертон|гіпертон|хипертон|депресс|депрес|лейкем|лейкоз|мигрен|мігрен|бронхит|бронхіт|гепатит|артрит|артроз|гастрит|пневмон|инфаркт|інфаркт|инсульт|інсульт|инсулт",
  "аритми|аритмі|катаракт|глауком|деменц|склероз|остеопор|шизофрен|туберкул|анеми|анемі|псориаз|псоріаз|экзем[аыуео]|екзем[аиуо]|перелом|тромбоз|беремен|вагітн|бремен|онколог",
  "keliak|ameliyat|varicel|waterpok|windpock|vattkopp|skoldkopp|vannkopp|vesirokk|baranyhiml|nestovic|ospa$|ospy$|ospe$|ospę$|staaroper|favism|fawizm|hernia|fitik|przepuklin|bandscheib|leistenbr|hemor+oid|hamorrhoid|nierenstein|gallenst|fibrom[iy]al|auti[sz]m|bipolar|syphil|syfil|sifil|varfarin|warfarin",
  "menis[ck]|allerg|alerg|angin[aeuyi]|ulcer|ulkus|ulcus|wrzod|vred(?:y|u|om|ov)?$|typhus|tifus|tyfus|tipes|typhoid|malari|dengue|covid|influenz|gripp?e?|hypertenz|iperten|cholesterol|kolesterol|colesterol|viem",
  "αλλεργ|διαβητ|ασθμα|επιληψ|υπερτασ|καταθλιψ|καρκιν|ημικραν|βρογχιτ|ηπατιτ|αρθριτ|πνευμον|εμφραγμ|αρρυθμ|καταρρακτ|γλαυκωμ|ανοια|σκληρυνσ|οστεοπορ|αναιμι|καταγμα|θρομβωσ|εγκυο",
  "cardiopat|kardiopat|neuropat|polineurop|polyneurop|retinopat|nephropat|nefropat|tendinop|discopat|diskopat|hyperkol|dyslipid|dislipid|e[ck]lamps|preeclamps|preeklamps|conjun[ck]?tivit|konjunktivit|otit|sinusit|sinuzit|faringit|pharyngit|laringit|prostat|hyperthyr|hipert[iy]r|lumbalg|lumbag|ischia[ls]|s[ck]iatic|nevralg|neuralg|tendinit|bursit|skolyoz",
  "ernia|prolaps|prolass|emboli|phlebit|flebit|entorse|esguince|scarlat|skarlat|szkarlat|scharlach|sarampi|rougeole|masern|myelom|mielom|sepsis|podagr|thyroidit|tiroidit|hashimoto|silikos|silicos|dekubit|decubit|escleros|esquizofr|colitis|colite|diverti[ck]ul|colelit|litiasi|hipertir|toxoplas|clamid|chlamyd|gonor|ictus|cirroz|ciroz|cirhoz|fibrilat|kolesist|cholecist|holecist|kolecist|isch[ae]mi|isquemi|ischemi|isemi",
  "gurtelros|schuppenfl|heuschnup|blutarmut|fettleber|gicht|keuhkokuum|eteisvar|kihti|valilevy|vajaatoim|kaihi|formaksfl|atriefl|hjartsvik|hjertesvi|nyresvi|gikt|lungembol|blodprop|helvedesi|makuladeg|jicht|longfibr|krentenb|hartfalen|boezemfib|migotan|miazdzyc|prochnic|niedoczynn|nadczynn|reumatyz|mrtvic|chripk|polinoz|gyomorfek|szurkehal|pajzsmir|pitvarf|agyverz|csontritk|epeko|epekov",
  "prijelom|mozdan|zlomil|virpej|nepakankam|aptaukos|virvendus|insuldi|suhkruhai|suhkrutob|korgvere|kirig|fitig|sucice|koah|romatizm|guatr",
  "стенокард|целиак|ишем|ішем|отит|гипотир|гіпотир|пульпит|пульпіт|подагр|холецист|ожирен|ожирін|цирроз|цироз|остеохонд|радикул|простатит|тонзил|мерцательн|фибрил|фібрил|скарлат|краснух",
  "κοιλιοκακ|μαρμαρυγ|αρθροπλαστ|σκωληκοειδ|γριπ|σηψ|παρκινσον|αλτσχαιμ",
];
/** Ends of compounds for an illness, and of the names of medicines, with endings of cases. */
export const ENDS = [
  "\\p{L}{3,}(?:krankheit|erkrankung|insuffizienz|entzundung|infarkt|infarct|krebs|kanker|kræft|kreft|syop[ai]|syovan|ziekte|sjukdom|sykdom|sygdom|betegseg)\\p{L}{0,4}",
  "(?:suhkru|sudame|kopsu|maksa|neeru)(?:tobi|tove)\\p{L}{0,2}|\\p{L}{3,}(?:tauti(?:a|en)?|taudin|itis(?:e|es|en)?|(?<!m)itid[ay])",
  "\\p{L}{3,}(?:formin|olol|sartan|statin|cillin|[ms]ycin|prazol|butamol|xaban)\\p{L}{0,4}",
  "\\p{L}{2,}(?:allergi|alergi)\\p{L}{0,3}",
  "\\p{L}{2,}(?:arthros|artros|artroz|embolie|embolia|thrombos|frakt?ur|flimmer|flimren|fibrill?a[ct]i|infark|anamie|(?:knie|herz|hjerte|h[uoø]ft\\p{L}?|katarakt|st[aæ]e?r|kn[aæ]e?|augen?|mandeln?|brok)operat?[is]?j?on|muteti?|leikkaus|intoleran[zs]|luxation)\\p{L}{0,3}",
  "\\p{L}{2,}(?:прил|олол|[сз]артан|статин|цилл?[иі]н|м[иі]цин|празол|форм[иі]н|ксабан|азепам|оксацин|тироксин|ектоми|эктоми|ектомі)\\p{L}{0,3}",
];

/**
 * Names of illnesses of several words, over text in lower case without accents. Words that
 * mean something else alone are here with the part of the body.
 */
export const PHRASES = [
  "(?:insuf\\p{L}{4,9}|niewydoln\\p{L}{1,4}|nedostatecn\\p{L}{1,5}|zlyhani\\p{L}|selhani)\\s(?:card|kard|ren|resp|hep|venos|vein|serc|srdc|oblic|nerek|ledvin|mitral|aort)\\p{L}*",
  "(?:munuaisten|sydamen|kilpirauhasen)\\svajaatoimin\\p{L}+|mo[zs][kg][oa]\\p{L}{1,4}\\s(?:mrtvic|prihod)\\p{L}*|udar\\p{L}{0,3}\\smozg\\p{L}*|mozdan\\p{L}{1,4}\\sudar\\p{L}*",
  "(?:hohe[rnm]?|hypertensi?ve)\\sblutdruck|(?:pressione|pressao|tension)\\salta|h[oø]yt?\\sblodtrykk|h[oø]jt\\sblodtryk|hogt\\sblodtryck|korkea\\sverenpaine|magas\\svernyomas|vysok\\p{L}{1,3}\\s(?:krevni\\s)?tlak\\p{L}{0,2}|yuksek\\stansiyon|povisen\\p{L}?\\s(?:krvni\\s)?tlak",
  "(?:asam\\surat|darah\\stinggi|kencing\\smanis|demam\\sberdarah|usus\\sbuntu|cacar\\sair|kisukari|shinikizo\\sla\\sdamu)",
  "intol+eran\\p{L}{1,4}\\s(?:al?|au|a\\sla|ao|la|na)\\s(?:glut|lact|lakt|latt|fruct)\\p{L}+",
  "(?:tieu\\sđuong|đai\\sthao\\sđuong|(?:tang|cao)\\shuyet\\sap|huyet\\sap\\scao|ung\\sthu\\s\\p{L}+|loang\\sxuong|tien\\ssan\\sgiat|thuy\\sđau|sot\\sxuat\\shuyet|đong\\skinh|suy\\s(?:tim|than)|tram\\scam|hen\\s(?:suyen|phe\\squan)|viem\\s\\p{L}{2,6}(?:\\s(?:day|hong|gan|phoi))?)",
];
/** The same in scripts whose words have no spaces or no capitals. */
export const OTHER_SCRIPTS = [
  "糖尿病|高血[圧压壓]|高血脂|高脂血症|痛[风風]|哮喘|喘息|(?:不[稳穩]定型)?心[绞絞]痛|心肌梗[死塞]|心筋梗塞|(?:慢性)?心不全|[胃肺肝乳]癌|(?:胃|肺|乳|大腸)がん|(?:\\p{Script=Katakana}{1,8}型)?認知症|肺炎|白内障|緑内障|うつ病|抑[郁鬱]症|\\p{Script=Han}{1,6}アレルギー|花粉症|アトピー(?:性皮膚炎)?|脳梗塞|[脑腦]梗|橋本病|リウマチ",
  "고혈압|당뇨(?:병)?|백내장(?: 수술)?|녹내장|천식|아토피(?: 피부염)?|갑상선기능[저항]\\p{L}+|폐렴|우울증|치매|\\p{L}{1,8} 알레르기|십자인대 수술",
  "السكري|ارتفاع ضغط الدم|الربو|التهاب \\p{L}+|استئصال \\p{L}+|قصور القلب|سرطان \\p{L}+|فقر الدم|الصرع",
  "דלקת \\p{L}+|סוכרת(?: סוג [12])?|יתר לחץ דם|אסתמה|אלרגיה ל\\p{L}+|כריתת \\p{L}+(?: מרה)?|סרטן ה?\\p{L}+|אפילפסיה|בלט דיסק|मधुमेह|उच्च रक्तचाप|अस्थमा|(?:फुफ्फुसीय )?क्षय रोग|मलेरिया|डेंगू|थायरॉ?इड|دیابت|فشار خون|پوکی استخوان",
];
