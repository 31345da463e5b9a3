// The fault of a question that cannot be answered. Its message says what was expected and what was found.

/** Thrown when a question cannot be answered: a wrong name, or a session that cannot be replayed. */
export class WhyFault extends Error {
  override readonly name = 'WhyFault';
}
