// `npm run bench -- models [FOLDER [EXACT [ORIGINAL]]]`: the quality of the packaged models. See models/eval/score.mjs.
import "../models/eval/score.mjs";
