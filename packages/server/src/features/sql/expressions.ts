import { checkLiterals, checkPattern, isLookup, makesLongList, sizeOfCall } from './call-rules.ts'
import { findFunction, findType, TIME_UNITS } from './functions.ts'
import { quotedName, quotedText, type Reader, refuse } from './reader.ts'
import { ComputedValues, checkSize, FIXED, ONE_COLUMN, type Size, sumSizes } from './sizes.ts'
import { isTimeColumn } from './tables.ts'

/** A part of a statement that has a value: SQL for the engine, and its properties. */
export interface Expression {
  readonly sql: string
  /** Whether it contains no column and no subquery. */
  readonly isConstant: boolean
  /** Set when it is a single column. */
  readonly path?: readonly string[] | undefined
  /** Set when it is a single text literal. */
  readonly text?: string | undefined
  /** The elements, when it is written as a list in brackets. */
  readonly list?: readonly Expression[] | undefined
  readonly size: Size
  /** The last parts of the names in it, those in subqueries left out. */
  readonly names: readonly string[]
  /** Lower bounds of columns that are satisfied whenever the expression is true. */
  readonly bounds: readonly LowerBound[]
}

export interface LowerBound {
  readonly path: readonly string[]
  /** SQL that follows the column: `>= now() - interval 1 day`. */
  readonly sql: string
}

/** Reads a query without the parentheses around it, and returns it as SQL. */
export type ReadQuery = () => string

/**
 * Reads expressions in the order of precedence, one method per level. Expressions are printed again from their parsed
 * parts, so that no unparsed text reaches the engine.
 */
export class Expressions {
  readonly values = new ComputedValues()
  /** Names of the parameters of the lambdas around what is read. */
  #parameters: readonly string[] = []
  #longLists = 0

  constructor(
    private readonly reader: Reader,
    private readonly readQuery: ReadQuery,
  ) {}

  /** Reads a whole expression, such as one after `select` or `where`. */
  readItem(): Expression {
    const item = this.read()
    this.values.add(item)
    return item
  }

  private read(): Expression {
    return this.reader.deeper(() => this.or())
  }

  /** Number of calls so far that make lists of any length. */
  get longLists(): number {
    return this.#longLists
  }

  /** Counts the lists of a common table expression where it is used. */
  addLongLists(count: number): void {
    this.#longLists += count
  }

  /** The list would be looked through for each row, without a limit of the engine on the time of one block. */
  private scalarQuery(): Expression {
    const before = this.#longLists
    const sql = `(${this.readQuery()})`
    if (this.#longLists > before) {
      refuse('a subquery that is used as a value must not make lists, as groupArray does; use IN (SELECT …) or a JOIN.')
    }
    return { ...queried(sql), size: ONE_COLUMN }
  }

  private or(): Expression {
    return this.chain(['or'], () => this.and())
  }

  private and(): Expression {
    let left = this.not()
    while (this.reader.takeWords('and')) {
      const right = this.not()
      left = { ...predicate([left, right], ([a, b]) => `(${a} and ${b})`), bounds: [...left.bounds, ...right.bounds] }
    }
    return left
  }

  private chain(words: readonly string[], read: () => Expression): Expression {
    let left = read()
    for (;;) {
      const word = words.find((one) => this.reader.takeWords(one))
      if (word === undefined) return left
      left = predicate([left, read()], ([a, b]) => `(${a} ${word} ${b})`)
    }
  }

  private not(): Expression {
    if (!this.reader.takeWords('not')) return this.comparison()
    return this.reader.deeper(() => predicate([this.not()], ([a]) => `(not ${a})`))
  }

  private comparison(): Expression {
    const { reader } = this
    let left = this.sum()
    for (;;) {
      const symbol = COMPARISONS.find((one) => reader.takeSymbol(one))
      if (symbol !== undefined) left = compare(left, symbol, this.sum())
      else if (reader.takeWords('is')) {
        const negated = reader.takeWords('not')
        reader.expectWords('null')
        left = predicate([left], ([a]) => `(${a} is ${negated ? 'not ' : ''}null)`)
      } else {
        const negated = ['in', 'like', 'ilike', 'between'].some((word) => reader.isWords('not', word))
        if (negated) reader.next()
        const not = negated ? 'not ' : ''
        if (reader.takeWords('in')) left = this.membership(left, not)
        else if (reader.takeWords('like')) left = this.like(left, `${not}like`)
        else if (reader.takeWords('ilike')) left = this.like(left, `${not}ilike`)
        else if (reader.takeWords('between')) left = this.between(left, negated)
        else return left
      }
    }
  }

  private like(left: Expression, operator: string): Expression {
    const pattern = this.sum()
    checkPattern(pattern)
    return predicate([left, pattern], ([a, b]) => `(${a} ${operator} ${b})`)
  }

  private between(left: Expression, negated: boolean): Expression {
    const from = this.sum()
    this.reader.expectWords('and')
    const inside = compare(left, '>=', from)
    const whole = predicate([inside, compare(left, '<=', this.sum())], ([a, b]) => `(${a} and ${b})`)
    return negated ? predicate([whole], ([a]) => `(not ${a})`) : { ...whole, bounds: inside.bounds }
  }

  /** The engine reads a single name after `in` as a table, so a list may only contain constants. */
  private membership(left: Expression, not: string): Expression {
    return this.reader.inParentheses(() => {
      if (this.isQuery()) return { ...queried(`(${left.sql} ${not}in (${this.readQuery()}))`), names: left.names }
      const items = this.reader.list(() => this.read())
      if (items.some((item) => !item.isConstant)) refuse('the list after IN may hold constants only, or one subquery.')
      return predicate([left, ...items], ([a, ...list]) => `(${a} ${not}in (${list.join(', ')}))`)
    })
  }

  private sum(): Expression {
    return this.operators(['||', '+', '-'], () => this.operators(['*', '/', '%'], () => this.sign()))
  }

  private operators(symbols: readonly string[], read: () => Expression): Expression {
    let left = read()
    for (;;) {
      const symbol = symbols.find((one) => this.reader.takeSymbol(one))
      if (symbol === undefined) return left
      const { size, ...value } = combine([left, read()], ([a, b]) => `(${a} ${symbol} ${b})`)
      left = { ...value, size: symbol === '||' ? size : FIXED }
      checkSize('the operator ||', left.size)
    }
  }

  private sign(): Expression {
    if (this.reader.takeSymbol('-')) return this.reader.deeper(() => combine([this.sign()], ([a]) => `(- ${a})`))
    if (this.reader.takeSymbol('+')) return this.reader.deeper(() => this.sign())
    return this.postfix()
  }

  private postfix(): Expression {
    const { reader } = this
    let value = this.primary()
    for (;;) {
      if (reader.takeSymbol('::')) value = castTo(value, this.typeName())
      else if (reader.takeSymbol('[')) {
        const index = this.read()
        reader.expectSymbol(']')
        value = combine([value, index], ([a, b]) => `${a}[${b}]`)
      } else return value
    }
  }

  private primary(): Expression {
    const { reader } = this
    const { kind, text } = reader.peek()
    if (kind === 'number') return constant(reader.next().text)
    if (kind === 'string') return { ...constant(quotedText(reader.next().text)), text, size: sizeOfText(text) }
    if (reader.isSymbol('(')) return this.parenthesized()
    if (reader.takeSymbol('[')) {
      const items = reader.isSymbol(']') ? [] : reader.list(() => this.read())
      reader.expectSymbol(']')
      return { ...combine(items, (list) => `[${list.join(', ')}]`), list: items }
    }
    if (kind === 'word') return this.special() ?? this.nameOrCall()
    return reader.isName() ? this.nameOrCall() : reader.unexpected('a value')
  }

  private isQuery(): boolean {
    return this.reader.isWords('select') || this.reader.isWords('with')
  }

  private parenthesized(): Expression {
    return this.reader.inParentheses(() => {
      if (this.isQuery()) return this.scalarQuery()
      const items = this.reader.list(() => this.read())
      const [first, ...others] = items
      if (first === undefined || others.length > 0) return combine(items, (list) => `(${list.join(', ')})`)
      return { ...first, sql: `(${first.sql})` }
    })
  }

  /** Expressions that begin with a keyword. */
  private special(): Expression | undefined {
    const { reader } = this
    for (const word of ['true', 'false', 'null']) if (reader.takeWords(word)) return constant(word)
    if (reader.takeWords('case')) return this.caseWhen()
    if (reader.takeWords('interval')) return this.interval()
    if (reader.takeWords('exists')) {
      return reader.inParentheses(() => queried(`exists (${this.readQuery()})`))
    }
    const isCall = reader.isSymbol('(', 1)
    if (isCall && reader.takeWords('cast')) return this.cast()
    if (isCall && reader.isWords('extract') && reader.peek(3).text.toLowerCase() === 'from') return this.partOfTime()
    const type = reader.peek(1).kind === 'string' ? reader.peek().text.toLowerCase() : ''
    if (type !== 'date' && type !== 'timestamp') return undefined
    reader.next()
    return constant(timeLiteral(type, reader.next().text))
  }

  private caseWhen(): Expression {
    const { reader } = this
    const parts: (Expression | string)[] = ['case']
    if (!reader.isWords('when')) parts.push(this.read())
    while (reader.takeWords('when')) {
      parts.push('when', this.read())
      reader.expectWords('then')
      parts.push('then', this.read())
    }
    if (reader.takeWords('else')) parts.push('else', this.read())
    reader.expectWords('end')
    const values = parts.filter((part) => typeof part !== 'string')
    return combine(values, () => `${parts.map((part) => (typeof part === 'string' ? part : part.sql)).join(' ')} end`)
  }

  private interval(): Expression {
    const [, amount, unit] =
      /^\s*(-?[0-9]{1,9})(?:\s+([A-Za-z]+))?\s*$/.exec(this.reader.next().text) ??
      this.reader.unexpected('a whole number')
    return constant(`interval ${amount} ${this.timeUnit(unit ?? this.reader.next().text)}`)
  }

  private timeUnit(word: string): string {
    const unit = word.toLowerCase().replace(/s$/, '')
    return TIME_UNITS.has(unit)
      ? unit
      : refuse(`"${word.slice(0, 40)}" is no unit of time; use ${[...TIME_UNITS].join(', ')}.`)
  }

  private partOfTime(): Expression {
    this.reader.next()
    return this.reader.inParentheses(() => {
      const unit = this.timeUnit(this.reader.next().text)
      this.reader.expectWords('from')
      return combine([this.read()], ([a]) => `extract(${unit} from ${a})`)
    })
  }

  private cast(): Expression {
    return this.reader.inParentheses(() => {
      const value = this.read()
      this.reader.expectWords('as')
      return castTo(value, this.typeName())
    })
  }

  private typeName(): string {
    const { text } = this.reader.next()
    return (
      findType(text) ??
      refuse(
        `there is no type "${text.slice(0, 40)}" to cast to; use String, Int64, Float64, Bool, Date, Timestamp or UUID.`,
      )
    )
  }

  private nameOrCall(): Expression {
    const { reader } = this
    if (reader.isSymbol('(', 1)) return this.call()
    const path = [reader.name('a column')]
    while (reader.isSymbol('.') && reader.isName(1)) {
      reader.next()
      path.push(reader.next().text)
    }
    if (path.length > 3) refuse(`the name ${path.join('.').slice(0, 100)} has too many parts.`)
    if (reader.isSymbol('(')) refuse(`there is no function ${path.join('.').slice(0, 100)}.`)
    return {
      sql: path.map(quotedName).join('.'),
      isConstant: false,
      path,
      bounds: [],
      size: ONE_COLUMN,
      names: path.slice(-1),
    }
  }

  private call(): Expression {
    const { reader } = this
    const { text } = reader.next()
    const name = findFunction(text)
    if (name === undefined) refuse(`the function ${text.slice(0, 100)} is not available.`)
    let args = this.args()
    let parameters: readonly Expression[] = []
    let sql = `${name}(${args.map((one) => one.sql).join(', ')})`
    if (reader.isSymbol('(')) {
      parameters = args
      args = this.args()
      sql = `${name}(${parameters.map((one) => one.sql).join(', ')})(${args.map((one) => one.sql).join(', ')})`
    }
    checkLiterals(name, args)
    if (makesLongList(name)) this.#longLists++
    if (isLookup(name)) this.checkLookup(name, args)
    const size = sizeOfCall(name, args)
    checkSize(name, size)
    const names = [...parameters, ...args].flatMap((arg) => arg.names)
    if (reader.takeWords('filter')) {
      const condition = reader.inParentheses(() => {
        reader.expectWords('where')
        return this.read()
      })
      sql = `${sql} filter (where ${condition.sql})`
    }
    if (!reader.takeWords('over')) {
      return { sql, isConstant: args.every((one) => one.isConstant), bounds: [], size, names }
    }
    const over = reader.inParentheses(() => this.window())
    return { sql: `${sql} over (${over})`, isConstant: false, bounds: [], size, names }
  }

  /** Inside of a lambda, only values that take memory for each element may be looked through. */
  private checkLookup(name: string, [subject]: readonly Expression[]): void {
    if (this.#parameters.length === 0 || subject === undefined) return
    if (subject.names.some((one) => this.#parameters.includes(one))) return
    this.values.later(() => {
      if (subject.names.some((one) => !this.values.isComputed(one))) return
      refuse(`${name} inside of a lambda must look through a column or a parameter of the lambda, not a constant.`)
    })
  }

  private args(): readonly Expression[] {
    return this.reader.inParentheses(() => {
      if (this.reader.isSymbol(')')) return []
      if (this.reader.takeSymbol('*')) return [{ ...queried('*'), size: ONE_COLUMN }]
      const distinct = this.reader.takeWords('distinct')
      const list = this.reader.list(() => this.lambdaOrValue())
      const [first, ...others] = list
      return distinct && first ? [{ ...first, sql: `distinct ${first.sql}` }, ...others] : list
    })
  }

  private lambdaOrValue(): Expression {
    const names = this.lambdaNames()
    if (names === undefined) return this.read()
    const outer = this.#parameters
    this.#parameters = [...outer, ...names]
    const body = this.read()
    this.#parameters = outer
    return { ...body, sql: `(${names.map(quotedName).join(', ')}) -> ${body.sql}`, isConstant: false, bounds: [] }
  }

  /** Takes `x ->` or `(x, y) ->`. */
  private lambdaNames(): readonly string[] | undefined {
    const { reader } = this
    if (reader.isName() && reader.isSymbol('->', 1)) {
      const { text } = reader.next()
      reader.next()
      return [text]
    }
    if (!reader.isSymbol('(')) return undefined
    let ahead = 1
    while (reader.isName(ahead) && reader.isSymbol(',', ahead + 1)) ahead += 2
    if (!(reader.isName(ahead) && reader.isSymbol(')', ahead + 1) && reader.isSymbol('->', ahead + 2))) return undefined
    const names = reader.inParentheses(() => reader.list(() => reader.next().text))
    reader.expectSymbol('->')
    return names
  }

  private window(): string {
    const { reader } = this
    const parts: string[] = []
    if (reader.takeWords('partition', 'by')) {
      parts.push(`partition by ${reader.list(() => this.read().sql).join(', ')}`)
    }
    if (reader.takeWords('order', 'by')) parts.push(`order by ${this.orderBy()}`)
    const unit = ['rows', 'range'].find((word) => reader.takeWords(word))
    if (unit === undefined) return parts.join(' ')
    reader.expectWords('between')
    const from = this.frameEnd()
    reader.expectWords('and')
    const to = this.frameEnd()
    // The engine computes a frame again for each row when its start moves.
    if (from !== 'unbounded preceding' && to === 'unbounded following') {
      refuse('a window from a row to UNBOUNDED FOLLOWING is not available; reverse its ORDER BY.')
    }
    return [...parts, `${unit} between ${from} and ${to}`].join(' ')
  }

  private frameEnd(): string {
    const { reader } = this
    if (reader.takeWords('current', 'row')) return 'current row'
    const distance = reader.takeWords('unbounded') ? 'unbounded' : String(reader.number('a number of rows'))
    if (Number(distance) > MAX_FRAME_ROWS)
      refuse(`a window may begin or end at most ${MAX_FRAME_ROWS} before or after its row, or be UNBOUNDED.`)
    const side = ['preceding', 'following'].find((word) => reader.takeWords(word))
    return `${distance} ${side ?? reader.unexpected('PRECEDING or FOLLOWING')}`
  }

  /** The part after `order by`. */
  orderBy(): string {
    const { reader } = this
    const keys = reader.list(() => {
      const key = this.read().sql
      const direction = ['asc', 'desc'].find((word) => reader.takeWords(word)) ?? 'asc'
      if (!reader.takeWords('nulls')) return `${key} ${direction}`
      const place = ['first', 'last'].find((word) => reader.takeWords(word)) ?? reader.unexpected('FIRST or LAST')
      return `${key} ${direction} nulls ${place}`
    })
    return keys.join(', ')
  }
}

const COMPARISONS = ['=', '==', '!=', '<>', '<=', '>=', '<', '>'] as const

/** Most rows, or seconds and numbers for `range`, from a row to the end of its window. */
const MAX_FRAME_ROWS = 100_000

const constant = (sql: string): Expression => ({ sql, isConstant: true, bounds: [], size: FIXED, names: [] })

/** What comes from a subquery, and has a fixed size. */
const queried = (sql: string): Expression => ({ sql, isConstant: false, bounds: [], size: FIXED, names: [] })

const sizeOfText = (text: string): Size => ({ times: 0, bytes: Buffer.byteLength(text) })

function combine(parts: readonly Expression[], print: (sql: readonly string[]) => string): Expression {
  return {
    sql: print(parts.map((part) => part.sql)),
    isConstant: parts.every((part) => part.isConstant),
    bounds: [],
    size: sumSizes(parts.map((part) => part.size)),
    names: parts.flatMap((part) => part.names),
  }
}

/** Likewise for a value of a fixed size. */
const predicate = (parts: readonly Expression[], print: (sql: readonly string[]) => string): Expression => ({
  ...combine(parts, print),
  size: FIXED,
})

function castTo(value: Expression, type: string): Expression {
  const cast = combine([value], ([a]) => `cast(${a}, ${quotedText(type)})`)
  return { ...cast, size: type === 'String' ? sizeOfCall('toString', [value]) : FIXED }
}

function timeLiteral(type: string, text: string): string {
  return type === 'date' ? `toDate(${quotedText(text)})` : parseTimeText(text)
}

const parseTimeText = (text: string) => `parseDateTime64BestEffort(${quotedText(text)}, 6, 'UTC')`

/** The comparison with its sides swapped. */
const MIRRORED: Readonly<Record<string, string>> = { '<': '>', '<=': '>=', '>': '<', '>=': '<=' }

/** Compares columns of times with ISO 8601 texts; the engine itself does not parse time zones in texts. */
function compare(left: Expression, symbol: string, right: Expression): Expression {
  const [a, b] = [castTimeText(left, right), castTimeText(right, left)]
  const bound = findBound(a, symbol, b) ?? findBound(b, MIRRORED[symbol] ?? symbol, a)
  return { ...predicate([a, b], ([x, y]) => `(${x} ${symbol} ${y})`), bounds: bound ? [bound] : [] }
}

function castTimeText(value: Expression, other: Expression): Expression {
  const column = other.path?.at(-1)
  if (value.text === undefined || column === undefined || !isTimeColumn(column)) return value
  return constant(parseTimeText(value.text))
}

function findBound(column: Expression, symbol: string, value: Expression): LowerBound | undefined {
  if (column.path === undefined || !value.isConstant) return undefined
  if (symbol === '=' || symbol === '==') return { path: column.path, sql: `>= ${value.sql}` }
  return symbol === '>' || symbol === '>=' ? { path: column.path, sql: `${symbol} ${value.sql}` } : undefined
}
