import type { Changes } from './changes.ts'

/** Answers that are kept, the oldest go first. */
const MAX_ANSWERS = 500

interface Answer<Value> {
  readonly at: number
  readonly value: Value
  readonly tables: readonly string[]
}

/** Answers that hold until one of the tables behind them changes. Without a store that tells, none is kept. */
export class AnswerCache<Value> {
  readonly #changes: Changes | undefined
  readonly #answers = new Map<string, Answer<Value>>()

  constructor(changes: Changes | undefined) {
    this.#changes = changes
  }

  /** @param find  also says which tables the answer comes from */
  async get(key: string, find: () => Promise<Omit<Answer<Value>, 'at'>>): Promise<Value> {
    const known = this.#answers.get(key)
    if (known && !known.tables.some((table) => this.#changes?.isChanged(table, known.at))) return known.value
    const at = this.#changes?.now ?? 0
    const found = await find()
    if (this.#changes) this.#answers.set(key, { at, ...found })
    if (this.#answers.size > MAX_ANSWERS) this.#answers.delete(this.#answers.keys().next().value!)
    return found.value
  }
}
