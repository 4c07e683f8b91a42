// Beat BERT: ten gaps a day. The visitor's word comes before the model's.
import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { App } from "../../app.ts";
import { useAttempt } from "../../components/attempt.ts";
import { Bars, barsOf } from "../../components/bars.tsx";
import { ErrorText } from "../../components/error-text.tsx";
import { timeLeft } from "../../format.ts";
import { t, tx } from "../../language.ts";
import { aroundGap, type Gap, points, type Round, standing } from "../../text/beat.ts";
import { Result } from "./result.tsx";
import { type Game, gameOf } from "./state.ts";

function View({ app }: { app: App }) {
  const game = useSignal<Game | undefined>(undefined);
  const { error, attempt } = useAttempt();
  useEffect(() => {
    attempt(async () => {
      game.value = await gameOf(app);
    });
  }, []);
  return (
    <div class="beat">
      <p class="hint lead">
        {t`Ten sentences a day, the same for everybody: guess each hidden word before BERT shows its own.`}
      </p>
      {game.value && (game.value.isOver.value ? <Result game={game.value} /> : <Turn app={app} game={game.value} />)}
      <ErrorText error={error.value} about={{ thing: t`The list of sentences` }} />
      <How />
    </div>
  );
}

/** The gap in view: a field for the visitor's word, then both words. */
function Turn({ app, game }: { app: App; game: Game }) {
  const { error, attempt, busy } = useAttempt();
  const gap = game.gaps[game.at.value]!;
  const round = game.round.value;
  const submit = (word: string) =>
    attempt(async () => {
      const played = await game.answer(app, word);
      app.announce(verdictOf(played));
    });
  return (
    <>
      <Standing game={game} />
      <Sentence gap={gap} word={round?.word} />
      {round ? (
        <Reveal game={game} gap={gap} round={round} />
      ) : (
        <Ask key={game.at.value} app={app} isBusy={busy.value} onSubmit={submit} />
      )}
      <ErrorText app={app} error={error.value} />
    </>
  );
}

function Standing({ game }: { game: Game }) {
  const [mine, its] = standing(game.rounds.value);
  return (
    <p class="beat-standing">
      <span>{t`Gap ${game.at.value + 1} of ${game.gaps.length}`}</span>
      <span>{t`You ${mine} : ${its} BERT`}</span>
    </p>
  );
}

/** The sentence; its gap is a line, or the visitor's word. */
function Sentence({ gap, word }: { gap: Gap; word: string | undefined }) {
  const [before, after] = aroundGap(gap);
  return (
    <p class="words" lang="en">
      {before}
      <span class="beat-gap">
        {word ?? (
          <>
            <span aria-hidden="true">{"\u2003\u2003\u2003"}</span>
            <span class="visually-hidden">{t`gap`}</span>
          </>
        )}
      </span>
      {after}
    </p>
  );
}

function Ask({ app, isBusy, onSubmit }: { app: App; isBusy: boolean; onSubmit: (word: string) => void }) {
  const word = useSignal("");
  const status = app.status.value;
  const isReady = app.model.value !== null;
  /** True once the visitor gave a word before the model was loaded. */
  const isGiven = useSignal(false);
  useEffect(() => {
    if (!isReady || !isGiven.peek()) return;
    isGiven.value = false;
    onSubmit(word.peek().trim());
  }, [isReady, isGiven.value]);
  return (
    <form
      class="beat-ask"
      onSubmit={(event) => {
        event.preventDefault();
        if (word.peek().trim()) isGiven.value = true;
      }}
    >
      <label for="beat-word">{t`Your word, in English`}</label>
      <input
        id="beat-word"
        lang="en"
        autocomplete="off"
        autocapitalize="off"
        spellcheck={false}
        maxLength={40}
        readOnly={isGiven.value}
        value={word.value}
        onInput={({ currentTarget }) => (word.value = currentTarget.value)}
      />
      <button type="submit" disabled={isGiven.value || isBusy || !word.value.trim()}>
        {t`That is my word`}
      </button>
      {!isReady && status.kind === "loading" && (
        <p class="hint">
          {status.seconds === undefined
            ? t`The model is loading.`
            : t`The model is loading: ${timeLeft(status.seconds)} left.`}
        </p>
      )}
    </form>
  );
}

/** Both words, the model's list with the visitor's word in it, and the words that people accept. */
function Reveal({ game, gap, round }: { game: Game; gap: Gap; round: Round }) {
  const isLast = game.at.value === game.gaps.length - 1;
  return (
    <section class="beat-reveal">
      <p class="beat-verdict">{verdictOf(round)}</p>
      <p class="hint">{tx`The list accepts: ${<b lang="en">{gap.accepted.join(", ")}</b>}.`}</p>
      <h2>{t`What BERT expects`}</h2>
      <Bars label={t`What BERT expects`} bars={barsOf(round.words, round)} />
      <button type="button" class="beat-next" ref={(button) => button?.focus()} onClick={() => game.next()}>
        {isLast ? t`The result` : t`Next gap`}
      </button>
    </section>
  );
}

/** A sentence about a round. */
function verdictOf(round: Round): string {
  const { isRight, isBertRight, word, words } = round;
  const its = words[0]?.token_str ?? "…";
  const scored = t`${points(round)} of 10 points.`;
  if (isRight && isBertRight) return `${t`“${word}” and BERT’s “${its}” are both right.`} ${scored}`;
  if (isRight) return `${t`“${word}” is right, and BERT’s “${its}” is not.`} ${scored}`;
  if (isBertRight) return `${t`BERT’s “${its}” is right; “${word}” is not in the list.`} ${scored}`;
  return `${t`Neither “${word}” nor BERT’s “${its}” is in the list.`} ${scored}`;
}

function How() {
  return (
    <details class="how">
      <summary>{t`How this is counted`}</summary>
      <p>
        {t`The sentences and the words that count as right were written by people, before the model saw them. A word is right if it is in the list; the list has single words only, and misses some good ones. Points are ten times the probability that BERT gives your word, rounded, and at least 1 for a right word. A copied result names no word. Tomorrow brings ten other gaps.`}
      </p>
    </details>
  );
}

export default { id: "beat", View };
