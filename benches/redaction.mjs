// `npm run bench -- redaction [--presidio PYTHON]`: what `redact` leaves and takes. See models/eval/redaction.mjs.
import "../models/eval/redaction.mjs";
