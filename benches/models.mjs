// `npm run bench -- models [FOLDER [EXACT [ORIGINAL]]]`: how good the models are that ship; see models/eval/score.mjs.
import "../models/eval/score.mjs";
