"""Values of the labels AGE, USERNAME, PASSWORD, SECRET and HEALTH for the slots of text/entities/templates."""

import string

YEAR = ["years old", "years old", "year-old", "yrs old", "yo", "y/o", "years of age", "y.o."]
TENS = dict(zip(range(20, 100, 10), "twenty thirty forty fifty sixty seventy eighty ninety".split()))
SMALL = """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
nineteen""".split()
HANDLES = """dark cool super mega real its the mr miss official happy crazy lil big old gamer music photo travel chef wolf ninja dragon star
shadow pixel moon sunny lucky cat dog bike surf book coffee mad red blue""".split()
WORDS = """dragon monkey sunshine summer winter autumn spring secret welcome letmein football princess banana coffee cheese purple orange
tiger eagle rocket galaxy kitten shadow master freedom liberty garden castle river ocean flower apple cherry pepper ginger magic silver
golden thunder bonjour hallo passwort geheim amor liverpool arsenal chelsea barcelona juventus batman pokemon qwerty hunter correct horse
battery staple admin default changeme trustno""".split()
MARKS = "! ? # $ % & * @ . _ - + = ~".split()
PREFIXES = ["sk_live_", "sk_test_", "ghp_", "xoxb-", "pk_", "AKIA", "glpat-", "key-", "AIza", "sk-", "hf_", "whsec_", "npm_", "SG.", "eyJ", "rk_", "tok_", "shpat_"]
ICD = ["E11.9", "I10", "F32.1", "J45", "F41.1", "C50.9", "M54.5", "G40.9", "K50.0", "B20", "I25.1", "N18.3", "F20.0", "L40", "G35"]


def cardinal(number, joint="-"):
    """A number from 0 to 999 in English words."""
    if number < 20:
        return SMALL[number]
    if number < 100:
        ten, one = number // 10 * 10, number % 10
        return TENS[ten] + (joint + SMALL[one] if one else "")
    rest = number % 100
    return f"{SMALL[number // 100]} hundred" + (f" and {cardinal(rest, joint)}" if rest else "")


class Private:
    """Slots of `Values`: needs its `rng`, `chance`, `digits`, `letters`, `filled`, `words`, names, and `ailments`."""

    def old(self):
        return min(104, max(1, int(self.rng.gauss(43, 22))))

    def slot_age(self):
        """An age as a number."""
        age, local = self.old(), self.local_ages.get(self.language)
        if local and self.chance(0.12):
            return self.rng.choice(local.split("|")), "AGE"
        in_words = not self.language and self.chance(0.15)
        return (cardinal(age, self.rng.choice(["-", " "])) if in_words else str(age)), "AGE"

    def slot_years(self):
        """An age with its unit."""
        rng = self.rng
        number, unit = self.slot_age()[0], rng.choice(YEAR)
        if self.chance(0.08):
            number, unit = rng.choice([str(rng.randint(2, 23)), cardinal(rng.randint(2, 12))]), rng.choice(["months old", "weeks old", "month-old", "days old"])
        joint = "-" if unit.endswith("-old") else "" if unit in ("yo", "y/o", "y.o.") and self.chance(0.7) else " "
        return number + joint + unit, "AGE"

    def slot_agesex(self):
        age = self.old()
        return self.rng.choice([f"{age}F", f"{age}M", f"{age}f", f"{age}m", f"{age} F", f"{age}yoF", f"{age}yo M", f"{age}y/o"]), "AGE"

    def slot_username(self):
        rng = self.rng
        given, family = self.latin(self.given_name()) or "sam", self.latin(self.family_name()) or "fox"
        noun = rng.choice(HANDLES + self.words["animal"]).replace(" ", "")
        number = rng.choice(["", "", str(rng.randint(1, 99)), str(rng.randint(1950, 2012)), self.digits(3)])
        name = rng.choice([
            f"{given[0]}{family}{number}", f"{given}.{family}", f"{given}_{family}{number}", f"{given}{number or '7'}", f"{family}{given[0]}{number}", f"{given}-{family[0]}",
            f"{rng.choice(HANDLES)}_{given}{number}", f"{rng.choice(HANDLES)}{noun}{number}", f"{noun.capitalize()}{given.capitalize()}{number}", f"xX_{noun}_Xx",
            f"{given}{rng.choice(HANDLES)}{number}", f"{given[:3]}{family[:3]}{number}", f"{given[0]}.{family}{number}", f"{given}the{rng.choice(self.words['job'])}".replace(" ", ""),
            f"u{self.digits(6)}", f"{given[0]}{family[:4]}{self.digits(2)}", f"{family}.{given}", f"{given}_{self.digits(2)}"])
        return name, "USERNAME"

    def slot_handle(self):
        return f"@{self.slot_username()[0]}", "USERNAME"

    def slot_password(self):
        rng = self.rng
        first, second = rng.choice(WORDS), rng.choice(WORDS)
        leet = str.maketrans(dict(zip("aeios", rng.choice(["@3!0$", "43105", "@3105"]))))
        year, mark = str(rng.randint(1955, 2026)), rng.choice(MARKS)
        name = self.latin(self.given_name()) or "sam"
        random = "".join(rng.choice(string.ascii_letters + string.digits + "!#$%&*+-?@") for _ in range(rng.randint(8, 16)))
        made = rng.choice([
            f"{first.capitalize()}{year}", f"{first.capitalize()}{self.digits(2)}{mark}", f"{first.translate(leet)}{mark}", f"{first}{second}{self.digits(2)}", f"{name.capitalize()}{year}{mark}",
            f"{first}-{second}-{rng.choice(WORDS)}", f"{first}{self.digits(3)}", random, random, f"{first.capitalize()}{mark}{second.capitalize()}{self.digits(1)}", f"{first}{second}",
            f"{first.upper()}{self.digits(2)}", f"{name}{self.digits(4)}", f"{first}_{second}", f"{first.capitalize()}", f"{rng.choice(self.words['adjective'])}{rng.choice(self.words['animal'])}{self.digits(2)}"])
        return made, "PASSWORD"

    def slot_passphrase(self):
        return " ".join(self.rng.choices(WORDS, k=4)), "PASSWORD"

    def slot_pin(self):
        """A PIN, door code or one-time code."""
        return self.rng.choice([self.digits(4), self.digits(4), self.digits(6), self.digits(6), f"{self.digits(3)} {self.digits(3)}", f"{self.digits(3)}-{self.digits(3)}",
                                f"C{self.digits(4)}", f"{self.digits(4)}#", f"G-{self.digits(6)}"]), "PASSWORD"

    def slot_cvv(self):
        return self.digits(self.rng.choice([3, 3, 3, 4])), "PASSWORD"

    def slot_token(self):
        rng = self.rng
        drawn = lambda signs, low, high: "".join(rng.choice(signs) for _ in range(rng.randint(low, high)))
        letters = string.ascii_letters + string.digits
        return rng.choice([
            rng.choice(PREFIXES) + drawn(letters, 16, 32), drawn("0123456789abcdef", 24, 40), drawn(letters + "+/", 22, 40) + rng.choice(["", "="]), drawn(letters + "-_", 20, 36),
            "-".join(drawn(string.ascii_uppercase + string.digits, 5, 5) for _ in range(rng.randint(4, 5)))]), "SECRET"

    def ailment(self, kind):
        """An illness, medicine or procedure: in the text's language, where health.txt has it."""
        return self.rng.choice(self.ailments.get(f"{kind}_{self.language}") or self.ailments[kind]), "HEALTH"

    def slot_condition(self):
        return self.ailment("condition")

    def slot_medicine(self):
        return self.ailment("medicine")

    def slot_procedure(self):
        return self.ailment("procedure")

    def slot_attack(self):
        return self.ailment("attack")

    def slot_illness(self):
        return self.ailment("condition")

    def slot_symptom(self):
        return self.rng.choice(self.ailments["symptom"]), None

    def slot_dose(self):
        return f"{self.rng.choice([5, 10, 20, 25, 40, 50, 75, 100, 200, 250, 400, 500, 850])}{self.rng.choice([' mg', 'mg', ' mcg', ' ml', ' milligrams'])}", None

    def slot_icd(self):
        return self.rng.choice([*ICD, f"{self.letters(1)}{self.digits(2)}.{self.digits(1)}"]), "HEALTH"

    def slot_blood(self):
        return self.rng.choice(["A", "B", "AB", "O"]) + self.rng.choice(["+", "-", " positive", " negative", " Rh+"]), "HEALTH"
