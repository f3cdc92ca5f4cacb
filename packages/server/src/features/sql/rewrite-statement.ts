import type { SqlTable } from '@touchstone/contract'
import { Expressions, type LowerBound } from './expressions.ts'
import { quotedName, Reader, refuse, tokenize } from './reader.ts'
import { findTable, listColumns, printScopedTable, storedTable } from './tables.ts'

/** A statement that only reads rows of its author; `tenant` and `projects` are its parameters. */
export interface Rewritten {
  /** @param rows  maximum number of returned rows; a lower limit of the statement applies first */
  withLimit(rows: number): string
  /** Names of the tables of the store that it reads. */
  readonly tables: readonly string[]
  /** Row limit of the statement. */
  readonly ownLimit: number | undefined
}

/** Tables that one statement may read. Each use of a common table expression counts, because the engine repeats it. */
const MAX_TABLES_READ = 16

/**
 * Parses one SELECT and prints it again, with every table replaced by a subquery that is limited to the caller's rows.
 * Only parsed parts are printed: other statements, settings, formats, other tables, table functions, names with a
 * database, and functions that are not listed are rejected.
 *
 * @throws ApiError INVALID_REQUEST that names the rejected part
 */
export function rewriteStatement(statement: string): Rewritten {
  const reader = new Reader(tokenize(statement))
  if (!reader.isWords('select') && !reader.isWords('with') && !reader.isSymbol('(')) {
    refuse('the statement must be one SELECT, which may begin with WITH.')
  }
  const queries = new Queries(reader)
  const query = queries.query()
  const isStacked = reader.takeSymbol(';') && reader.peek().kind !== 'end'
  if (isStacked) refuse('only one statement is allowed.')
  if (reader.peek().kind !== 'end') reader.unexpected()
  queries.checkValues()
  return {
    tables: [...queries.tables],
    ownLimit: query.limit,
    withLimit: (rows) => printQuery({ ...query, limit: Math.min(rows, query.limit ?? rows) }),
  }
}

/** The parts of a query; order and limit are separate because they apply to a whole union. */
interface Query {
  readonly withClause: string
  readonly body: string
  /** Whether it is more than a plain select, so that an order or a limit needs a select around it. */
  readonly isCompound: boolean
  readonly orderBy: string
  readonly limit: number | undefined
  readonly offset: number | undefined
}

function printQuery({ withClause, body, isCompound, orderBy, limit, offset }: Query): string {
  const tail = [
    ...(orderBy === '' ? [] : [`order by ${orderBy}`]),
    ...(limit === undefined ? [] : [`limit ${limit}`]),
    ...(offset === undefined ? [] : [`offset ${offset}`]),
  ]
  const whole = isCompound && tail.length > 0 ? `select * from (${body})` : body
  return [withClause, whole, ...tail].filter(Boolean).join(' ')
}

/** A table after `from` or `join`, before the lower bound of its rows is known. */
interface Source {
  readonly alias: string
  readonly table?: SqlTable
  /** SQL of a source that is not a table of the store. */
  readonly sql: string
  readonly bounds: readonly LowerBound[]
}

class Queries {
  /** Common table expression → number of tables that one use of it reads, and of lists that it makes. */
  readonly #named = new Map<string, { readonly tables: number; readonly longLists: number }>()
  readonly #expressions: Expressions
  #tablesRead = 0
  /** Of the store. */
  readonly tables = new Set<string>()

  constructor(private readonly reader: Reader) {
    this.#expressions = new Expressions(reader, () => printQuery(this.query()))
  }

  /** @throws ApiError INVALID_REQUEST when a value may become too large by several steps */
  checkValues(): void {
    this.#expressions.values.check()
  }

  query(): Query {
    return this.reader.deeper(() => {
      const withClause = this.reader.takeWords('with') ? this.commonTables() : ''
      const { body, isCompound } = this.union()
      const orderBy = this.reader.takeWords('order', 'by') ? this.#expressions.orderBy() : ''
      return { withClause, body, isCompound, orderBy, ...this.limits() }
    })
  }

  private limits(): Pick<Query, 'limit' | 'offset'> {
    const { reader } = this
    const limit = reader.takeWords('limit') ? reader.number('a number of rows') : undefined
    if (limit !== undefined && reader.takeSymbol(','))
      return { offset: limit, limit: reader.number('a number of rows') }
    return { limit, offset: reader.takeWords('offset') ? reader.number('a number of rows') : undefined }
  }

  /** Reads the part after `with`. The names get a prefix, so that none can equal a table of the store. */
  private commonTables(): string {
    const { reader } = this
    if (reader.isWords('recursive')) refuse('WITH RECURSIVE is not available.')
    const list = reader.list(() => {
      const name = reader.name('the name of a common table expression')
      if (findTable(name) !== undefined || this.#named.has(name))
        refuse(`the name "${name}" is taken; choose another after WITH.`)
      reader.expectWords('as')
      const before = { tables: this.#tablesRead, longLists: this.#expressions.longLists }
      const sql = reader.inParentheses(() => printQuery(this.query()))
      this.#named.set(name, {
        tables: this.#tablesRead - before.tables,
        longLists: this.#expressions.longLists - before.longLists,
      })
      return `${commonName(name)} as (${sql})`
    })
    return `with ${list.join(', ')}`
  }

  private union(): Pick<Query, 'body' | 'isCompound'> {
    const { reader } = this
    let term = this.term()
    let operator: string | undefined
    for (;;) {
      const next = this.setOperator()
      if (next === undefined) return term
      if (operator !== undefined && next !== operator) {
        refuse('UNION, INTERSECT and EXCEPT can be mixed with parentheses only.')
      }
      operator = next
      if (reader.isWords('with')) reader.unexpected('SELECT')
      term = { body: `(${term.body}) ${operator} (${this.term().body})`, isCompound: true }
    }
  }

  private setOperator(): string | undefined {
    const { reader } = this
    const word = ['union', 'intersect', 'except'].find((one) => reader.takeWords(one))
    if (word === undefined) return undefined
    if (reader.takeWords('all')) return `${word} all`
    reader.takeWords('distinct')
    return `${word} distinct`
  }

  private term(): Pick<Query, 'body' | 'isCompound'> {
    if (!this.reader.isSymbol('(')) return { body: this.select(), isCompound: false }
    return { body: this.reader.inParentheses(() => printQuery(this.query())), isCompound: true }
  }

  private select(): string {
    const { reader } = this
    reader.expectWords('select')
    const distinct = reader.takeWords('distinct') ? 'distinct ' : ''
    const columns = reader.list(() => this.column()).join(', ')
    const from = reader.takeWords('from') ? this.from() : undefined
    const where = reader.takeWords('where') ? this.#expressions.readItem() : undefined
    const groupBy = reader.takeWords('group', 'by') ? this.groups() : undefined
    const having = reader.takeWords('having') ? this.#expressions.readItem().sql : undefined
    return [
      `select ${distinct}${columns}`,
      ...(from ? [`from ${from(where?.bounds ?? [])}`] : []),
      ...(where ? [`where ${where.sql}`] : []),
      ...(groupBy ? [`group by ${groupBy}`] : []),
      ...(having ? [`having ${having}`] : []),
    ].join(' ')
  }

  private groups(): string {
    if (this.reader.takeWords('all')) return 'all'
    return this.reader.list(() => this.#expressions.readItem().sql).join(', ')
  }

  private column(): string {
    const { reader } = this
    if (reader.takeSymbol('*')) return '*'
    if (reader.isName() && reader.isSymbol('.', 1) && reader.isSymbol('*', 2)) {
      const { text } = reader.next()
      reader.next()
      reader.next()
      return `${quotedName(text)}.*`
    }
    const { sql } = this.#expressions.readItem()
    const alias = reader.takeWords('as') || reader.isName() ? reader.name('a name') : undefined
    if (alias === undefined) return sql
    this.#expressions.values.addAlias(alias)
    return `${sql} as ${quotedName(alias)}`
  }

  /** Reads the part after `from`, which is printed when the conditions of `where` are known. */
  private from(): (bounds: readonly LowerBound[]) => string {
    const { reader } = this
    const sources = [this.source()]
    /** SQL before and after each source except the first. */
    const joins: { readonly before: string; readonly behind: string }[] = []
    for (;;) {
      const kind = this.joinKind()
      if (kind === undefined) break
      const source = this.source()
      const { behind, bounds } = kind === 'cross join' ? { behind: '', bounds: [] } : this.joinCondition()
      // A bound in ON only limits the joined table, and only if its rows without a match are omitted.
      const limits = kind === 'inner join' || kind === 'left join'
      const own = limits ? bounds.filter(({ path }) => path.length === 2 && path[0] === source.alias) : []
      sources.push({ ...source, bounds: own })
      joins.push({ before: kind, behind })
    }
    if (reader.isWords('array')) refuse('ARRAY JOIN is not available; use the function arrayJoin.')
    const aliases = sources.map((source) => source.alias)
    const twice = aliases.find((alias, at) => aliases.indexOf(alias) !== at)
    if (twice !== undefined) refuse(`two tables are called "${twice}"; give one another name with AS.`)
    return (bounds) => {
      const isAlone = sources.length === 1
      const print = (source: Source) => `${printSource(source, bounds, isAlone)} as ${quotedName(source.alias)}`
      const [first, ...others] = sources.map(print)
      return [first, ...others.map((sql, at) => `${joins[at]?.before} ${sql}${joins[at]?.behind}`)].join(' ')
    }
  }

  private joinKind(): string | undefined {
    const { reader } = this
    if (reader.takeSymbol(',') || reader.takeWords('cross', 'join')) return 'cross join'
    if (reader.takeWords('join') || reader.takeWords('inner', 'join')) return 'inner join'
    for (const side of ['left', 'right', 'full']) {
      if (!reader.takeWords(side)) continue
      reader.takeWords('outer')
      reader.expectWords('join')
      return `${side} join`
    }
    return undefined
  }

  private joinCondition(): { readonly behind: string; readonly bounds: readonly LowerBound[] } {
    const { reader } = this
    if (reader.takeWords('using')) {
      const names = reader.inParentheses(() => reader.list(() => quotedName(reader.name('a column'))))
      return { behind: ` using (${names.join(', ')})`, bounds: [] }
    }
    reader.expectWords('on')
    const { sql, bounds } = this.#expressions.readItem()
    return { behind: ` on ${sql}`, bounds }
  }

  private source(): Source {
    const { reader } = this
    if (reader.isSymbol('(')) {
      const sql = `(${reader.inParentheses(() => printQuery(this.query()))})`
      return { alias: this.alias() ?? `subquery_${reader.peek().at}`, sql, bounds: [] }
    }
    const name = reader.name('a table')
    if (reader.isSymbol('.'))
      refuse(`the table ${name}.${reader.peek(1).text.slice(0, 100)} is not available; ${AVAILABLE}`)
    if (reader.isSymbol('(')) refuse(`the table function ${name} is not available; ${AVAILABLE}`)
    const named = this.#named.get(name)
    const table = named === undefined ? findTable(name) : undefined
    if (named === undefined && table === undefined) refuse(`the table ${name} is not available; ${AVAILABLE}`)
    this.#tablesRead += named?.tables ?? 1
    this.#expressions.addLongLists(named?.longLists ?? 0)
    if (this.#tablesRead > MAX_TABLES_READ) refuse(`the statement reads more than ${MAX_TABLES_READ} tables.`)
    if (table !== undefined) this.tables.add(storedTable(table))
    const alias = this.alias() ?? name
    return table === undefined ? { alias, sql: commonName(name), bounds: [] } : { alias, table, sql: '', bounds: [] }
  }

  private alias(): string | undefined {
    return this.reader.takeWords('as') || this.reader.isName() ? this.reader.name('a name') : undefined
  }
}

const AVAILABLE = 'use runs or feedback.'

const commonName = (name: string) => quotedName(`with ${name}`)

/**
 * The subquery for a table of the store. The bound on `start_time` is repeated inside, because the engine is configured
 * not to move conditions of the statement into it.
 */
function printSource(source: Source, where: readonly LowerBound[], isAlone: boolean): string {
  const { table, alias } = source
  if (table === undefined) return source.sql
  if (table !== 'runs') return printScopedTable(table)
  const isOwn = ({ path }: LowerBound) =>
    path.at(-1) === 'start_time' && (path.length === 1 ? isAlone : path.length === 2 && path[0] === alias)
  const bounds = [...where.filter(isOwn), ...source.bounds.filter(isOwn)]
  if (bounds.length > 0)
    return printScopedTable(
      table,
      bounds.map((bound) => bound.sql),
    )
  const column = isAlone ? 'start_time' : `${alias}.start_time`
  return refuse(`runs needs a lower bound of start_time, such as WHERE ${column} >= now() - INTERVAL 7 DAY.`)
}

/** Hint in the error about an unknown column. */
export const COLUMN_HINT = `runs has ${listColumns('runs').join(', ')}; feedback has ${listColumns('feedback').join(', ')}`
