// Writes the bodies of new orders. What the orders of one market and side have in common is written once, when the first of
// them is sent. Must never write another text than the codec does.
import { type Codec, codecOf } from '../wire/codec.ts';
import type { RecordSpec } from '../wire/record-spec.ts';
import type * as Wire from '../wire/wire-records.ts';

type Order = Wire.CreateOrderRecord;

/** Members that differ between the orders of one template. */
const CHANGING = ['clientOrderId', 'price', 'qty', 'expiresAt'] as const;
type Changing = (typeof CHANGING)[number];

/** Texts that stay, and members whose text is made for each order. */
type Template = readonly (string | { readonly member: Changing })[];

/** More templates than this are begun again: a bot quotes fewer markets than it sees. */
const TEMPLATES_MAX = 5000;

/** Writes bodies for one profile and one session. */
export class OrderTexts {
  readonly #spec: RecordSpec<Order>;
  readonly #codec: Codec<Order>;
  readonly #names: readonly (keyof Order)[];
  /** By what the orders of a template have in common. All are dropped when there are too many. */
  readonly #templates = new Map<string, Template | null>();

  constructor(spec: RecordSpec<Order>) {
    this.#spec = spec;
    this.#codec = codecOf(spec);
    // tidy: as (the spec has a field for each member of the record)
    this.#names = Object.keys(spec.fields) as (keyof Order)[];
  }

  /**
   * The body of an order. All orders of a session must agree in `selfTrade`, `cancelOnPause`, `groupId`, `subaccount`,
   * `outcome` and `shard`.
   * @throws {WireFault} when the wire cannot hold a value of the order.
   */
  bodyOf(order: Order): string {
    const key = keyOf(order);
    const template = this.#templates.get(key);
    if (template === undefined) return this.#firstBody(key, order);
    return (template && this.#filled(template, order)) ?? this.#wholeText(order);
  }

  #wholeText(order: Order): string {
    return JSON.stringify(this.#codec.encode(order));
  }

  #firstBody(key: string, order: Order): string {
    const text = this.#wholeText(order);
    if (this.#templates.size >= TEMPLATES_MAX) this.#templates.clear();
    const template = this.#templateOf(order);
    // Where members share a name on the wire, each text is written whole.
    this.#templates.set(key, this.#filled(template, order) === text ? template : null);
    return text;
  }

  #templateOf(order: Order): Template {
    const template: (string | { readonly member: Changing })[] = [];
    let text = '{';
    for (const name of this.#names) {
      const own = this.#codec.memberText(name, order);
      if (own === '') continue;
      if (text !== '{' || template.length > 0) text += ',';
      const member = CHANGING.find((each) => each === name);
      if (member === undefined) text += own;
      else {
        template.push(text, { member });
        text = '';
      }
    }
    const always = JSON.stringify({ ...this.#spec.filler, ...this.#spec.constants }).slice(1, -1);
    if (always !== '') text += text === '{' && template.length === 0 ? always : `,${always}`;
    return [...template, `${text}}`];
  }

  /** `null` when a member has no text, which would leave its comma. */
  #filled(template: Template, order: Order): string | null {
    let text = '';
    for (const part of template) {
      if (typeof part === 'string') {
        text += part;
        continue;
      }
      const own = this.#codec.memberText(part.member, order);
      if (own === '') return null;
      text += own;
    }
    return text;
  }
}

/** Names the common members of the orders of one template. An order with an expiry has one member more. */
const keyOf = ({ ticker, side, timeInForce, postOnly, reduceOnly, expiresAt }: Order): string =>
  `${side} ${timeInForce} ${postOnly} ${reduceOnly} ${expiresAt === null} ${ticker}`;
