"""Texts of fields: tables, forms, JSON, YAML, XML, logs. The names of fields and the cells without personal data have no label."""

import re

import sources

# Names of columns and fields | slots of their values. A slot without a label is nobody's; words after "=" are values themselves.
PERSONAL = """name,full name,customer,customer name,client,patient,employee,contact,contact name,passenger,guest,tenant,applicant,attendee,payee,manager,doctor,consultant,requester,signed by,emergency contact,next of kin,beneficiary,account holder,cardholder,insured,student,teacher,parent,driver,owner,assigned to,sold by,author,who,member|person
first name,given name,forename,fname,first|given
last name,surname,family name,lname,last|family
email,e-mail,mail,email address,contact email,login email|email
phone,mobile,tel,telephone,phone number,cell,contact number,fax,work phone|phone
dob,date of birth,born,birth date,birthday|birthday
date,joined,hired,due date,admitted,discharged,expires,check-in,start date,last visit,signed,ordered,paid on,created,visit|date
address,street address,home address,delivery address,billing address,residence,property|address
street,address line 1|address:street
postcode,zip,zip code,postal code|postcode
city,town,place of birth,birthplace,branch,site,destination,from,to,location|city
country,country of birth,issued in|country
company,employer,organisation,school,bank,insurer,supplier,account name,vendor,venue,hospital|organization
customer no,customer id,member id,client no,account id,id,reference|id:customer
order,order no,order id,po|id:order
invoice,invoice no,bill|id:invoice
passport,passport no,id card|id:passport
ssn,ni number,national id,social security no,tax id|id:insurance
policy,policy no,contract|id:policy
mrn,patient id,nhs no,case no|id:patient
plate,registration,vehicle reg|id:plate
booking,pnr,confirmation|id:booking
iban,bank account|iban
account no,account number|id:account
card,card number,cc|card
amount,total,balance,salary,price,fee,rent,premium,spent,deposit|money
age,age (years),patient age|age
age/sex|agesex
username,user,login,handle,user name,nickname,user_id,account|username
password,pass,pwd,initial password,temp password|password
pin,code,door code,otp,cvv,access code|pin
token,api key,secret,session,access token,license key|token
diagnosis,condition,medical history,reason for visit,problem,dx|condition
medication,drug,prescription,current meds,rx|medicine
blood type,blood group|blood"""
OTHER = """status=open/closed/pending/active/done/new/paid/overdue/shipped/cancelled
priority=high/low/medium/P1/P2/urgent
quantity,qty,units,stock,seats,copies,visits,nights|small
product,item,description,article|thing
department,team,unit=Sales/Marketing/Finance/Human Resources/IT/Logistics/Ward 3/Purchasing/Legal/Front Desk
role,job title,position,profession,occupation|job
notes,comment,remarks,subject=vegetarian/called twice/no answer/see file/prefers mornings/left a message/allergic to nuts/window seat/none/urgent
language,nationality|nationality
gender,sex=F/M/f/m/female/male/x
colour,color|colour
weight,height,length,duration,temperature,distance|measure
room,table,row,floor,no,line,page,grade,class|small
time,slot,arrival time,shift starts|time
day,weekday|weekday
score,result,rating=4.5/A/B+/passed/failed/3/92/good
percent,discount,progress,share|percent
version,release|version
consent,paid,insured,newsletter,active,vip=yes/no/true/false/Y/N/x
category,type=Standard/Premium/Basic/Gold/Internal/External/Private
subject,course|subject
hobby,sport|sport
diet,food|food
count,views,population,calories,points|number
host,server|host
model,part no,flight,sku,article no|model
file,path|path"""


def columns(text):
    """[(names, slot or None, own values)]."""
    found = []
    for line in text.splitlines():
        names, _, slot = line.partition("|")
        names, _, own = names.partition("=")
        found.append((names.split(","), slot or None, own.split("/") if own else []))
    return found


UNNAMED = ("age", "pin")  # columns whose values say nothing without a header
PERSONAL_COLUMNS, OTHER_COLUMNS = columns(PERSONAL), columns(OTHER)
LOCAL_SLOTS = "person email phone birthday address city id money password condition date word".split()  # of the groups of a line of fields.txt


def local_columns(path):
    """{language: ([personal columns], [other columns])} of text/entities/fields.txt."""
    found = {}
    for line in sources.lines(path):
        language, _, groups = line.partition(": ")
        made = [(names.strip().split(", "), slot, []) for names, slot in zip(groups.split("; "), LOCAL_SLOTS, strict=True)]
        found[language] = made[:-1], made[-1:]
    return found


class Tables:
    """`text()` → [(text, label or None)] of a table, form or record."""

    def __init__(self, rng, values):
        self.rng, self.values = rng, values
        self.local = local_columns(sources.TEXT / "entities/fields.txt")

    def text(self):
        """In another language, one in four."""
        self.personal, self.other = PERSONAL_COLUMNS, OTHER_COLUMNS
        if self.rng.random() < 0.25:
            self.values.language = self.rng.choice(list(self.local))
            self.personal, self.other = self.local[self.values.language]
        make = self.rng.choices([self.table, self.form, self.code, self.log, self.cells], [4, 4, 2, 2, 2])[0]
        parts = [part for part in make() if part[0]]
        return parts if any(text.strip() for text, _ in parts) else self.text()

    def chosen(self, low, high):
        """Some columns, most of them with personal data; a quarter of the texts have none."""
        rng = self.rng
        count, share = rng.randint(low, high), 0 if rng.random() < 0.2 else 0.62
        personal = sorted({0, 3, 4, *rng.sample(range(len(self.personal)), 8)}) if rng.random() < 0.4 else range(len(self.personal))
        chosen = []
        while len(chosen) < count:
            pool = [self.personal[n] for n in personal] if rng.random() < share else self.other
            column = rng.choice(pool)
            if column not in chosen or rng.random() < 0.1:
                chosen.append(column)
        return chosen

    def cell(self, column):
        _, slot, own = column
        if own:
            return [(self.rng.choice(own), None)]
        text, label = self.values.value(slot)
        text = text.removeprefix("the ")
        article = re.match(r"(?:a|an) ", text) if label == "HEALTH" else None
        if article:
            return [(article[0], None), (text[article.end():], label)]
        return [(text.replace("\n", ", "), label)]

    def name(self, column, style):
        name = self.rng.choice(column[0])
        if style == "code":
            return re.sub(r"\W+", "_", name.lower()).strip("_")
        if style == "camel":
            return re.sub(r"\W+(\w)", lambda match: match[1].upper(), name.lower())
        return {"title": name.title(), "upper": name.upper(), "first": name[0].upper() + name[1:]}.get(style, name)

    def table(self):
        """A header, in most, and rows, with one separator."""
        rng = self.rng
        picked, rows = self.chosen(2, 7), rng.choice([1, 2, 2, 3, 4, 5])
        between = rng.choice([",", ", ", ";", "\t", " | ", "|", "  ", " , "])
        edge = ("| ", " |") if between == " | " and rng.random() < 0.6 else ("", "")
        style = rng.choice(["title", "plain", "upper", "code", "first", "camel"])
        quote = '"' if between in (",", ";") and rng.random() < 0.25 else ""
        parts = []
        if rng.random() > 0.65:
            picked = [column for column in picked if column[1] not in UNNAMED]
        else:
            parts.append((edge[0] + between.join(quote + self.name(column, style) + quote for column in picked) + edge[1] + "\n", None))
            if edge[0] and rng.random() < 0.7:
                parts.append(("|" + "---|" * len(picked) + "\n", None))
        for _ in range(rows):
            parts.append((edge[0], None))
            for n, column in enumerate(picked):
                parts.append(((between if n else "") + quote, None))
                if rng.random() > 0.05:
                    parts += self.cell(column)
                parts.append((quote, None))
            parts.append((edge[1] + "\n", None))
        return parts[:-1] + [(edge[1], None)]

    def cells(self):
        """One row or one cell, without a header."""
        rng = self.rng
        picked = [column for column in self.chosen(1, 4) if column[1] not in UNNAMED]
        between = rng.choice([", ", " | ", "\t", "; ", " - ", " / ", " ", "\n"])
        parts = []
        for n, column in enumerate(picked):
            parts += [(between if n else "", None)] + self.cell(column)
        return parts

    def form(self):
        """Names of fields with their values, a line each or several in a line."""
        rng = self.rng
        sign = rng.choice([": ", ": ", ": ", ":", " : ", " - ", "\t", " = ", "\n", " ", ":\n", ".....", " → "])
        between = rng.choice(["\n", "\n", "\n", "; ", ", ", " ", " / ", " | "])
        style = rng.choice(["title", "first", "first", "plain", "upper"])
        parts = []
        if rng.random() < 0.3:
            parts.append((rng.choice(["Registration Form", "Application", "Patient Record", "Booking Details", "Customer Data", "Claim Form", "Section 1", "Contact Details", "PERSONAL DETAILS",
                                      "Order Form", "Membership", "Incident Report", "Emergency Contact", "Part A", "Visitor Log"]) + between, None))
        for n, column in enumerate(self.chosen(1, 6)):
            parts.append(((between if n else "") + self.name(column, style) + sign, None))
            if rng.random() > 0.06:
                parts += self.cell(column)
            elif rng.random() < 0.5:
                parts.append((rng.choice(["____", "n/a", "-", "none", "as above", "[ ]", "unknown"]), None))
        return parts

    def code(self):
        """Fields of JSON, YAML, XML, a query or a dictionary."""
        rng = self.rng
        before, between, after, next_, last = rng.choice([
            ('{"', '": "', '", "', "", '"}'), ('  "', '": "', '",\n  "', "", '"'), ("", ": ", "\n", "", ""), ("<", ">", "", "xml", ""), ("?", "=", "&", "", ""), ("", "='", "', ", "", "'"),
            ("{ ", ": '", "', ", "", "' }"), ("- ", ": ", "\n  ", "", ""), ("", " => ", ", ", "", "")])
        style = rng.choice(["code", "camel", "code", "plain"]) if next_ != "xml" else "code"
        parts = []
        picked = self.chosen(1, 6)
        for n, column in enumerate(picked):
            name = self.name(column, style)
            parts.append((("\n" if n else "") + f"<{name}>" if next_ else (before if n == 0 else "") + name + between, None))
            parts += self.cell(column)
            parts.append((f"</{name}>" if next_ else last if n == len(picked) - 1 else after, None))
        return parts

    def log(self):
        """A line of a log with fields."""
        rng = self.rng
        parts = []
        for line in range(rng.choice([1, 1, 2, 3])):
            stamp = self.values.value("day") if rng.random() < 0.6 else ("", None)
            head = rng.choice(["INFO", "WARN", "ERROR", "DEBUG", "[info]", "level=info", "notice:", ""])
            parts += [("\n" if line else "", None), stamp, (f" {self.values.value('time')[0]} {head} {rng.choice(EVENTS)} ", None)]
            sign = rng.choice(["=", "=", ":", ": ", '="'])
            for column in self.chosen(1, 4):
                parts += [(self.name(column, "code") + sign, None), *self.cell(column), (('"' if sign == '="' else "") + rng.choice([" ", ", ", " "]), None)]
        return parts


EVENTS = """login ok|login failed|user created|mail sent|payment accepted|order placed|session closed|password changed|request handled|export started|row skipped|upload done|
invite sent|token refreshed|profile updated|rate limited|cache miss|job finished|webhook delivered|sms queued""".replace("\n", "").split("|")
