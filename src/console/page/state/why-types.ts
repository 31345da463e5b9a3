// Types of the answers to "why". Types only.
export type { WhyAnswer, WhyOrder } from '../../../why/why-answer.ts';
