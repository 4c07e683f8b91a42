"""Numbers, dates, amounts and addresses as they are spoken and as speech recognition writes them: in words, without punctuation."""

from entity_private import SMALL, cardinal

MONTHS = "january february march april may june july august september october november december".split()
ORDINALS = """first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth
eighteenth nineteenth twentieth twenty-first twenty-second twenty-third twenty-fourth twenty-fifth twenty-sixth twenty-seventh twenty-eighth""".split()
ALPHABET = """alpha bravo charlie delta echo foxtrot golf hotel india juliet kilo lima mike november oscar papa quebec romeo sierra tango uniform victor
whiskey xray yankee zulu""".split()


class Spoken:
    """Slots of `Values` whose values are spoken, used while `self.is_spoken`."""

    def said(self, digits):
        """Digits one by one, with "double" and "oh"."""
        rng, words, n = self.rng, [], 0
        zero = rng.choice(["oh", "oh", "zero"])
        while n < len(digits):
            word = zero if digits[n] == "0" else SMALL[int(digits[n])]
            if digits[n:n + 2] == digits[n] * 2 and self.chance(0.6):
                words += ["double", word]
                n += 2
                continue
            words.append(word)
            n += 1
        return " ".join(words)

    def grouped_digits(self, count):
        """Digits, with spaces as people pause."""
        digits, parts = self.digits(count), []
        while digits:
            size = self.rng.choice([2, 3, 3, 4])
            parts.append(digits[:size])
            digits = digits[size:]
        return " ".join(parts)

    def spoken_phone(self):
        count = self.rng.randint(7, 11)
        number = self.said("0" + self.digits(count)) if self.chance(0.65) else self.grouped_digits(count)
        return self.rng.choice(["", "", "", "plus forty four ", "plus one ", "plus "]) + number, "PHONE"

    def spoken_id(self):
        letters = self.letters(self.rng.choice([0, 0, 1, 2, 3])).lower()
        spelled = " ".join(ALPHABET[ord(letter) - 97] if self.chance(0.3) else letter for letter in letters)
        number = self.said(self.digits(self.rng.randint(4, 9))) if self.chance(0.6) else self.grouped_digits(self.rng.randint(5, 9))
        return f"{spelled} {number}".strip(), "ID"

    def said_year(self):
        year = self.rng.randint(1930, 2026)
        if year >= 2000:
            return self.rng.choice([f"two thousand and {cardinal(year - 2000, ' ')}" if year > 2000 else "two thousand", f"twenty {cardinal(year - 2000, ' ') if year > 2009 else 'oh ' + cardinal(year - 2000)}"])
        return f"nineteen {cardinal(year - 1900, ' ')}"

    def spoken_date(self):
        rng = self.rng
        day, month = rng.choice(ORDINALS).replace("-", rng.choice(["-", " "])), rng.choice(MONTHS)
        digits = str(rng.randint(1, 28))
        return rng.choice([f"{day} of {month}", f"{month} {day}", f"{day} of {month} {self.said_year()}", f"{month} {day} {self.said_year()}", f"{month} {self.said_year()}",
                           month, f"{month} {digits}", f"{digits} {month} {rng.randint(1930, 2026)}", self.said_year(), f"{day} {month}"]), "DATE"

    def spoken_birthday(self):
        day, month = self.rng.choice(ORDINALS), self.rng.choice(MONTHS)
        return self.rng.choice([f"{day} of {month} {self.said_year()}", f"{month} {day} {self.said_year()}", f"{self.rng.randint(1, 28)} {month} {self.rng.randint(1930, 2015)}"]), "DATE"

    def spoken_money(self):
        rng, number = self.rng, cardinal(self.rng.randint(2, 999), " ")
        unit = rng.choice(["pounds", "dollars", "euros", "quid", "bucks", "rupees", "francs"])
        return rng.choice([f"{number} {unit}", f"{number} {unit}", f"{number} {unit} {cardinal(rng.randint(10, 99), ' ')}", f"{cardinal(rng.randint(2, 90), ' ')} thousand {unit}",
                           f"{rng.randint(2, 900)} {unit}", f"{rng.randint(2, 900)} {unit} {rng.randint(10, 99)}"]), "MONEY"

    def spoken_email(self):
        given, family = self.latin(self.given_name()) or "sam", self.latin(self.family_name()) or "fox"
        local = self.rng.choice([f"{given} dot {family}", f"{given}{family}", f"{given} underscore {family}", f"{given[0]} {family}", f"{given} {self.rng.randint(1, 99)}"])
        return f"{local} at {self.rng.choice(['gmail', 'yahoo', 'outlook', 'hotmail', family, 'icloud', 'proton mail'])} dot {self.rng.choice(['com', 'com', 'co dot uk', 'org', 'net', 'de'])}", "EMAIL"

    def spoken_address(self, form=""):
        rng, number = self.rng, self.rng.randint(1, 199)
        house = rng.choice([cardinal(number, " "), str(number), f"flat {cardinal(rng.randint(1, 30), ' ')} {cardinal(number, ' ')}", f"number {number}"])
        name = rng.choice(self.streets["name"] + [self.family_name()]).lower()
        kind = rng.choice("street road avenue lane close drive gardens court way crescent boulevard place terrace".split())
        line = f"{house} {name} {kind}"
        if form == "street" or self.chance(0.5):
            return line, "ADDRESS"
        code = rng.choice(["", "", self.postcode("en").lower(), self.said(self.digits(5))])
        return f"{line} {rng.choice(self.places['city']).lower()} {code}".strip(), "ADDRESS"

    def spoken_time(self):
        hour = SMALL[self.rng.randint(1, 12)]
        return self.rng.choice([f"half past {hour}", f"quarter to {hour}", f"{hour} thirty", f"{hour} o'clock", f"{hour} {self.rng.choice(['a m', 'pm', 'in the morning'])}"]), None

    def slot_spelled(self):
        """A name spelled by letters."""
        name = self.latin(self.family_name()) or "cole"
        return self.rng.choice([" ", " ", "-"]).join(name[:10]), "PERSON"
