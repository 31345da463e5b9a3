// The verdict on a study in plain sentences, which lead every report of it. Must never be shortened to look better.
import { countedNoun, decimalText, shareText } from '../../report/text/figure-text.ts';
import { MANY_GROUPS } from './figure-interval.ts';
import { LOST_GROUPS_MIN, type StudyVerdict, type Verdict } from './study-verdict.ts';

/** The verdict in a few words. */
export const VERDICT_WORDS: Readonly<Record<Verdict, string>> = {
  luck: 'not shown to be better than luck',
  better: 'better than luck',
  'losses-unseen': 'not shown to be better than luck',
  unknown: 'too little to judge',
};

/** A probability to two decimals. No sample makes one certain, so none shows as 0.00, nor as 1.00 where that is good news. */
function probabilityText(p: number): string {
  if (p > 0.995 && p < 1) return 'above 0.99';
  return p < 0.005 ? 'below 0.01' : decimalText(p, 2);
}

/** The deflated probability that a trial is better than luck. Floating point reaches 1, and the evidence does not. */
export const deflatedText = (p: number | null): string =>
  p === null ? decimalText(p, 2) : p === 1 ? 'above 0.99' : probabilityText(p);

/** The sentences of a verdict, in the sequence in which they are shown. */
export function verdictSentences(verdict: StudyVerdict): string[] {
  return [
    choiceText(verdict),
    ...sharpeTexts(verdict),
    ...overfittingTexts(verdict),
    ...outsideTexts(verdict),
    conclusionText(verdict),
    ...powerTexts(verdict),
    ...cautionTexts(verdict),
  ];
}

/** The verdict as one paragraph. */
export const verdictParagraph = (verdict: StudyVerdict): string => verdictSentences(verdict).join(' ');

function choiceText({ trials, trialsEver, effectiveTrials }: StudyVerdict): string {
  const earlier = trialsEver > trials ? ` (${trialsEver} with earlier studies on these event groups)` : '';
  const alike =
    effectiveTrials === null || trials === 1
      ? ''
      : `; they differ as much as ${countedNoun(Math.max(1, Math.round(effectiveTrials)), 'independent one')}`;
  return `Chosen among ${countedNoun(trials, 'trial')}${earlier}${alike}.`;
}

function sharpeTexts({ best, luckSharpe, deflated, groups, trialsEver }: StudyVerdict): string[] {
  if (best === null || luckSharpe === null || deflated === null) return [];
  const useless =
    trialsEver === 1
      ? 'a useless one would be expected at 0'
      : `the best of ${trialsEver} useless ones would be expected at ${decimalText(luckSharpe.mean, 2)} ± ${decimalText(luckSharpe.sd, 2)}`;
  return [
    `Its Sharpe ratio over all ${countedNoun(groups, 'group')} is ${decimalText(best.sharpe, 2)}; ${useless}.`,
    `Deflated probability that it is better than luck: ${deflatedText(deflated)}.`,
  ];
}

function overfittingTexts({ overfitting, superiorP }: StudyVerdict): string[] {
  const found: string[] = [];
  if (overfitting !== null) {
    const { probability, luck, left } = overfitting;
    const range = `${decimalText(luck.low, 2)} to ${decimalText(luck.high, 2)}`;
    found.push(`Overfitting probability ${decimalText(probability, 2)} (pure luck: ${range}).`);
    if (left > 0)
      found.push(`${countedNoun(left, 'pruned or failed trial')} ${left === 1 ? 'is' : 'are'} counted but not in it.`);
  }
  if (superiorP !== null)
    found.push(
      `SPA test against not trading: p = ${probabilityText(superiorP)}; it rejects too often with few groups.`,
    );
  return found;
}

function outsideTexts({ kept, sealed }: StudyVerdict): string[] {
  const found: string[] = [];
  if (kept !== null)
    found.push(
      kept < 0 ? 'Out of sample it lost.' : `Out of sample it kept ${shareText(kept, 0)} of its profit per group.`,
    );
  if (sealed !== null)
    found.push(
      `The sealed test was looked at ${sealed.looks === 1 ? 'once' : `${sealed.looks} times`}; adjusted p = ${probabilityText(sealed.p)}.`,
    );
  return found;
}

function conclusionText({ verdict, groups, settledBy, tradedGroups, lostGroups }: StudyVerdict): string {
  const words = `Therefore: ${VERDICT_WORDS[verdict]}`;
  switch (verdict) {
    case 'better':
      return `${words}, with an error in at most 5 of 100 such verdicts.`;
    case 'losses-unseen':
      return `${words}: only ${lostGroups} of ${countedNoun(tradedGroups, 'traded group')} lost. Rare large losses may not have happened yet: ${LOST_GROUPS_MIN} are needed to know their size.`;
    case 'unknown':
      if (groups < 2) return `${words}: two groups with a result are needed, found ${groups}.`;
      return tradedGroups === 0
        ? `${words}: it made and lost nothing in all ${groups} groups.`
        : `${words}: its profit was the same in all ${groups} groups.`;
    case 'luck':
      return settledBy === null || !Number.isFinite(settledBy)
        ? `${words}; no number of groups at this Sharpe ratio would change that.`
        : `${words}; ${countedNoun(Math.max(1, settledBy - groups), 'more group')} at the same Sharpe ratio would settle it.`;
  }
}

function powerTexts({ recognizable, groups, trialsEver }: StudyVerdict): string[] {
  if (recognizable === null) return [];
  const tried = `${countedNoun(groups, 'group')} and ${countedNoun(trialsEver, 'trial')}`;
  return [
    `With ${tried} only an edge above a Sharpe ratio of ${decimalText(recognizable, 2)} per group would be seen in 80 of 100 cases: smaller ones could not have been seen.`,
  ];
}

function cautionTexts({ groups }: StudyVerdict): string[] {
  if (groups >= MANY_GROUPS) return [];
  const few = `${countedNoun(groups, 'group')} ${groups === 1 ? 'is' : 'are'} few`;
  return [`${few}: below ${MANY_GROUPS} every probability here is rough.`];
}
