import { contract, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { literal, sql, uuid } from '../../storage/analytics/sql.ts'
import { columns, text } from '../../storage/rows.ts'
import { aTrace } from '../../testing/a-trace.ts'
import { type StartedApp, startApp } from '../../testing/start-app.ts'
import { printTableFilters } from './tables.ts'

/** What no answer may hold: it stands in runs and feedback of another workspace, and of another project of the caller. */
const SECRET = 'XYZZYSECRET'
const RECENT = 'start_time >= now() - interval 1 day'
const ALSO = `where ${RECENT}`

let mine: StartedApp
let theirs: StartedApp
let project: string
let otherProject: string
let theirProject: string

beforeAll(async () => {
  mine = await startApp()
  theirs = await startApp()
  project = await givenProject(mine, 'open', '1')
  otherProject = await givenProject(mine, `other-${SECRET}`, SECRET)
  theirProject = await givenProject(theirs, `theirs-${SECRET}`, SECRET)
})
afterAll(async () => {
  await mine.close()
  await theirs.close()
})

/** A project with a trace whose texts are all of one kind. */
async function givenProject(app: StartedApp, name: string, text: string): Promise<string> {
  const { root, post } = aTrace({ project: name, thread: text, error: text })
  const fields = {
    name: text,
    inputs: { text },
    outputs: { text },
    tags: [text],
    extra: { metadata: { [text]: text } },
  }
  await app.call(contract.runs.batch, { body: { post: post.map((run) => ({ ...run, ...fields })) } })
  await app.call(contract.feedback.create, { body: { run_id: root, trace_id: root, key: text, comment: text } })
  return (await app.call(contract.runs.read, { params: { run_id: root } })).body.session_id
}

const ask = (query: string, project_ids: readonly string[] = [project]) =>
  mine.call(contract.sql.query, { body: { project_ids, query } })

const doubled = (levels: number) =>
  Array.from({ length: levels }, (_, at) => `c${at + 1} as (select * from c${at} union all select * from c${at})`)

/** Statements that must be rejected. */
const REJECTED: readonly string[] = [
  // Other statements, more than one, clauses that change how a statement runs.
  ...[
    'insert into runs select * from runs',
    'create table x (a Int8) engine = Memory',
    'alter table runs delete where 1',
  ],
  ...[
    'drop table runs',
    'truncate runs',
    'show tables',
    'describe runs',
    'explain select 1',
    'set readonly = 0',
    'use system',
  ],
  ...[
    'kill query where 1',
    'system flush logs',
    'grant all on *.* to default',
    'attach table x',
    'optimize table runs final',
  ],
  ...[
    'select 1; select 2',
    'select 1;;',
    'select 1 settings readonly = 0',
    'select 1 format CSV',
    `select 1 into outfile '/tmp/x'`,
  ],
  `select * from runs ${ALSO} settings additional_table_filters = {'runs': '1'}`,
  ...['with recursive t as (select 1) select * from t', 'with 1 as x select x', 'with (select 1) as x select x'],
  // Other tables, by every way to name one.
  ...['run_feedback', 'run_keys', 'trace_runs', 'project_roots', 'migrations', 'system.tables', 'system.query_log'],
  ...[
    'default.runs',
    '`default`.`runs`',
    '"default"."runs"',
    'information_schema.tables',
    '`system.tables`',
    'INFORMATION_SCHEMA.COLUMNS',
  ],
].map((one) => (/ |;/.test(one) ? one : `select * from ${one}`))

const MORE_REJECTED: readonly string[] = [
  ...[
    '/* */run_keys',
    'run_keys as runs',
    '(run_keys)',
    '`run_keys`',
    '"run_keys"',
    'runs, run_keys',
    'runs cross join run_keys',
  ].map((from) => `select * from ${from} ${ALSO}`),
  'select 1 where 1 in run_keys',
  'select 1 where 1 in (run_keys)',
  'select 1 where 1 in (`run_keys`)',
  'select 1 where (1, 2) in (system.tables)',
  'select 1 where 1 not in (runs)',
  'select 1 where in(1, run_keys)',
  'select 1 where globalIn(1, run_keys)',
  `select (select count() from run_keys)`,
  `select count() from runs ${ALSO} and id in (select id from run_keys)`,
  `select count() from runs ${ALSO} union all select count() from run_keys`,
  `with x as (select * from run_keys) select * from x`,
  `with runs as (select 1 as id) select * from runs`,
  `with RUNS as (select 1) select * from RUNS`,
  `with feedback as (select 1) select * from feedback`,
  `with a as (select * from b), b as (select * from a) select * from a`,
  `with a as (select 1), a as (select 2) select * from a`,
  // Table functions.
  ...`numbers(10) zeros(1) one() file('/etc/passwd') url('http://localhost') s3('x') remote('localhost', 'default', 'runs')
     remoteSecure('x') cluster('x') merge('default','.*') mysql('x') postgresql('x') sqlite('/tmp/x') input('x') values('x')
     generateRandom('x') view(runs) executable('x') dictionary('x') loop(runs) python('x') Python(x) null('x') mergeTreeIndex('a')
     viewIfPermitted(runs) azureBlobStorage('x') hdfs('x') mongodb('x') redis('x') jdbc('x') iceberg('x') deltaLake('x')`
    .split(/\s(?=[A-Za-z]+\()/)
    .map((call) => `select * from ${call.trim()}`),
  // Functions.
  ...`sleep(1) sleepEachRow(1) file('/etc/passwd') dictGet('a','b',1) joinGet('a','b',1) getSetting('readonly') hostName()
     currentUser() user() currentDatabase() version() uptime() serverUUID() getMacro('x') filesystemAvailable() tcpPort()
     queryID() initialQueryID() connectionId() hasColumnInTable('default','runs','tenant_id') throwIf(1) range(1000000000)
     repeat('a',1000000) space(100000000) rand() generateUUIDv4() runningAccumulate(1) addressToLine(1) demangle('x') evalMLMethod(1)
     catboostEvaluate('x',1) getServerPort('tcp') currentProfiles() currentRoles() shardNum() fuzzBits('a',0.5) reinterpret(1,'String')
     transform(1,[1],[2],0) neighbor(1,1) blockNumber() rowNumberInAllBlocks() materialize(1) ignore(1) identity(1) encrypt('a','b','c')
     urlCluster('x') getOSKernelVersion() defaultRoles() enabledRoles() toTypeName(1) dumpColumnStructure(1) tid() logTrace('x')
     COLUMNS('.*') columns('.*') arrayWithConstant(100000000,1) hex(1) extractAllGroups('a','b') __getScalar('x') initializeAggregation('count')
     finalizeAggregation(1) dictGetOrDefault('a','b',1,1) isIPAddressInRange('a','b') byteSize(1) getClientHTTPHeader('x') _CAST(1,'x')
     constructor() toString.constructor() __proto__() hasOwnProperty()`
    .split(/\s+(?=[A-Za-z_.]+\()/)
    .map((call) => `select ${call.trim()}`),
  `select sleepEachRow/**/(1)`,
  'select `sleep`(1)',
  'select "file"(\'/etc/passwd\')',
  `select arrayMap(x -> sleep(x), [1])`,
  `select arrayMap(x -> file(x), ['/etc/passwd'])`,
  `select count(*) filter (where sleep(1) = 0)`,
  `select quantile(sleep(1))(1)`,
  `select * apply(sleep) from runs ${ALSO}`,
  `select * except (id) from runs ${ALSO}`,
  `select * replace (1 as id) from runs ${ALSO}`,
  `select cast('x' as Enum('x' = 1))`,
  `select cast(1, 'String')`,
  `select 1::Array(Dynamic)`,
  // Columns that are not documented.
  ...[
    'tenant_id',
    'session_id',
    'version',
    'is_deleted',
    'r.tenant_id',
    'runs.tenant_id',
    'metadata_pairs',
    'received_at',
  ],
  ...[
    '_part',
    '_table',
    '_database',
    '_partition_id',
    '`tenant_id`',
    '"tenant_id"',
    'patched',
    'default.runs.tenant_id',
  ],
]
  .map((one) => (/^[\w.`"]+$/.test(one) ? `select ${one} from runs ${ALSO}` : one))
  .concat([
    // Forms of the language that are not known.
    `select * from runs prewhere ${RECENT}`,
    `select * from runs final ${ALSO}`,
    `select * from runs sample 1 ${ALSO}`,
    `select * from runs array join tags ${ALSO}`,
    `select * from runs global join runs b ${ALSO}`,
    `select * from runs asof join runs b ${ALSO}`,
    `select * from runs left semi join runs b ${ALSO}`,
    `select * from runs ${ALSO} limit 1 by id`,
    `select * from runs ${ALSO} limit (select 1)`,
    `select * from runs ${ALSO} limit -1`,
    `select * from runs ${ALSO} window w as ()`,
    `select * from runs ${ALSO} qualify 1`,
    `select {tenant:UUID}`,
    `select {projects:Array(UUID)}`,
    `select $$x$$`,
    `select 0x10`,
    `select 1 # comment`,
    `select 1 /* no end`,
    `select 'no end`,
    'select `no end',
    'select `a\\`b`',
    'select "a""b"',
    `select @@version`,
    `select ?`,
    `select\u00a01`,
    `select\u20281`,
    `ｓｅｌｅｃｔ 1`,
    `select 1 from ｒｕｎｓ`,
    `select 'a\0b'`,
    `select * from runs\0`,
    ';',
    ' ',
    '()',
    'select',
    'select from runs',
    `select ${'('.repeat(5000)}1${')'.repeat(5000)}`,
    `select ${'not '.repeat(3000)}1`,
    `select ${'- '.repeat(2000)}1`,
    `select ${'['.repeat(3000)}`,
    `select ${'arrayMap(x -> '.repeat(300)}1`,
    `select ${'case when '.repeat(1000)}`,
    `${'select * from ('.repeat(500)}select 1${')'.repeat(500)}`,
    `select ${'1,'.repeat(9000)}1`,
    `select ${'1+'.repeat(2400)}1`,
    `select '${'x'.repeat(30_000)}'`,
    `with c0 as (select id from runs ${ALSO}), ${doubled(12).join(', ')} select count() from c12`,
    `select 1 as a0, ${Array.from({ length: 40 }, (_, at) => `a${at}+a${at} as a${at + 1}`).join(', ')}`,
  ])

/** Statements that may be accepted or rejected, but must not return data of others. */
const HARMLESS: readonly string[] = [
  `select * from runs ${ALSO}`,
  'select * from feedback',
  `select r.* from runs as r ${ALSO}`,
  `select runs.* from runs ${ALSO}`,
  `select a.*, b.* from runs a cross join runs b where a.${RECENT} and b.${RECENT}`,
  `select * from runs -- ${ALSO}\n ${ALSO} or 1 = 1 and ${RECENT}`,
  `select * from runs where (${RECENT}) and (1 = 1 or name != '')`,
  `select * from runs where ${RECENT} and 1 = 1 -- ' or tenant_id`,
  `select 1 as tenant_id, * from runs ${ALSO}`,
  `select '${'00000000-0000-0000-0000-000000000000'}' as tenant_id, session_id from (select project_id as session_id from runs ${ALSO})`,
  `select name as project_id, id as tenant_id from runs r ${ALSO}`,
  `select * from runs as run_feedback ${ALSO}`,
  `select * from feedback as runs`,
  `select * from feedback as runs join runs as run_feedback on run_feedback.id = runs.run_id where run_feedback.${RECENT}`,
  `with run_feedback as (select 1 as id) select * from feedback, run_feedback`,
  `with run_keys as (select id from runs ${ALSO}) select * from run_keys`,
  `with r as (select 1 as tenant_id, 1 as session_id, 1 as id) select * from runs, r where runs.${RECENT}`,
  `with x as (select * from runs ${ALSO}) select * from x a join x b on a.id = b.id`,
  `select (select name from runs ${ALSO} limit 1)`,
  `select arrayMap(tenant_id -> tenant_id, [1]), groupArray(name) from runs ${ALSO}`,
  `select arrayMap(r -> r.1, [(1, 2)]) from runs ${ALSO}`,
  `select arrayFilter(runs -> runs != '', tags) from runs ${ALSO}`,
  `select groupArray(inputs), groupUniqArray(name), any(error), topK(10)(name), max(outputs) from runs ${ALSO}`,
  `select name from runs ${ALSO} union all select comment from feedback`,
  `select count() from runs where start_time >= '1970-01-01'`,
  `select * from RUNS ${ALSO}`,
  'select * from `runs` where `start_time` > now() - interval 2 day',
  'select * from "runs" "x" where "x"."start_time" > now() - interval 2 day',
  `select 'a' '' from runs ${ALSO}`,
  `select '\\' or 1 = 1 -- ' from runs ${ALSO}`,
  `select 'x'' or 1=1 --' from runs ${ALSO}`,
  `select '{tenant:UUID}' as "{x", '{projects:Array(UUID)}' from runs ${ALSO}`,
  `select '{tenant:UUID}', '{projects:Array(UUID)}' from runs ${ALSO}`,
  `select 1 /* /* nested */ from runs ${ALSO} */`,
  `select 1 /* ' */ from runs ${ALSO} /* ' */`,
  `select 1 as "a b'"`,
  `select 1 as \`ünïcödé ✓\``,
  `select * from runs where ${RECENT} and project_id != toUUID('00000000-0000-0000-0000-000000000000')`,
  `select * from runs join feedback using (project_id) where runs.${RECENT}`,
  `select * from runs where ${RECENT} group by all`,
  `select now() as start_time, name from runs where start_time > '1970-01-01'`,
  `select * from (select * from (select * from runs ${ALSO}))`,
  // Expressions that fail on what others stored: the answer would tell of it.
  `select count() from runs ${ALSO} and toInt64(name) = 1`,
  `select count() from runs ${ALSO} and intDiv(1, name != '${SECRET}') = 1`,
  `select count() from runs where intDiv(1, name != '${SECRET}') = 1 and ${RECENT} and toUUID(if(name = '${SECRET}', 'x', '00000000-0000-0000-0000-000000000000')) is not null`,
  `select toInt64(name) from runs ${ALSO}`,
  `select toInt64(key) from feedback where toInt64(key) = 1`,
  `select toInt64(tags[1]), JSONExtractInt(inputs, 'text') from runs where toInt64(tags[1]) > 0 and ${RECENT}`,
  // Ends of errors that quote the statement.
  `select name + 1 from runs ${ALSO}`,
  `select sum(name) from runs ${ALSO}`,
  `select count(), name from runs ${ALSO}`,
  `select max(sum(total_cost)) from runs ${ALSO}`,
  `select toInt64(inputs) from runs ${ALSO}`,
  `select * from runs a join runs b using (nothing) where a.${RECENT} and b.${RECENT}`,
  `select * from runs ${ALSO} having count() > 1`,
  `select toDate('x') from runs ${ALSO}`,
  `select runs from runs ${ALSO}`,
  `select JSON_VALUE(inputs, '$.['), match(name, '('), replaceRegexpAll(name, '(', '') from runs ${ALSO}`,
  `select id from runs where start_time >= 'garbage'`,
  `select id from runs where start_time >= count()`,
  `select 1 union all select 1, 2`,
]

/** Words of the statement as the engine gets it. */
const INTERNAL = ['tenant_id', 'session_id', 'is_deleted', '__table', 'additional_table_filters', 'run_feedback']

describe('a hostile SQL statement', () => {
  /** A response may repeat the statement: an error quotes the rejected part. */
  const expectQuiet = (query: string, status: number, text: string) => {
    const isOwnWord = (word: string) => status === 400 && query.includes(word)
    const forbidden = [SECRET, otherProject, theirProject, ...(status === 400 ? INTERNAL : [])]
    for (const word of forbidden.filter((one) => !isOwnWord(one))) expect(text).not.toContain(word)
  }

  it.each([...REJECTED, ...MORE_REJECTED])('is rejected: %.120s', async (query) => {
    const { status, text } = await ask(query)
    expect(status, text.slice(0, 500)).toBe(400)
    expectQuiet(query, status, text)
  })

  it.each(HARMLESS)('reveals no data of others: %.120s', async (query) => {
    const { status, text } = await ask(query)
    expect([200, 400], text.slice(0, 500)).toContain(status)
    expectQuiet(query, status, text)
  })

  it('reads only rows of the named projects', async () => {
    const count = `select count() from runs ${ALSO}`
    expect((await ask(count)).body.rows).toEqual([[2]])
    expect((await ask(count, [project, otherProject])).body.rows).toEqual([[4]])
    expect((await ask('select count() from feedback')).body.rows).toEqual([[1]])
    for (const projects of [[theirProject], [project, theirProject], [uuid7()]]) {
      expect((await ask(count, projects)).status).toBe(404)
    }
    const injected = await mine.call(contract.sql.query, {
      body: { project_ids: [`${project}') or (1=1`], query: count },
    })
    expect(injected.status).toBe(400)
  })

  it('reads no more when it names a table of the store', async () => {
    const { analytics } = mine.deps
    const [tenant] = await analytics.query(
      sql`select tenant_id from runs where session_id = ${uuid(project)} limit 1`,
      columns({ tenant_id: text }),
    )
    const filters = { additional_table_filters: printTableFilters(tenant!.tenant_id, [project]) }
    const names = await analytics.query(
      sql`select name from system.tables where database = currentDatabase() and engine like '%MergeTree'`,
      columns({ name: text }),
    )
    expect(names.length).toBeGreaterThan(8)
    const limits = (table: string) => ({ seconds: 10, tables: [table] })
    for (const { name } of names) {
      const { rows } = await analytics.queryTable(sql`select count() from ${literal(name)}`, filters, limits(name))
      expect([name, ...rows]).toEqual([name, { runs: '[2]', run_feedback: '[1]' }[name] ?? '[0]'])
    }
    const change = analytics.queryTable(sql`insert into runs select * from runs`, filters, limits('runs'))
    await expect(change).rejects.toThrow()
  })

  it('evaluates conditions only on rows of the workspace', async () => {
    const count = `select count() from runs ${ALSO}`
    const { rows } = (await ask(`${count} and toInt64(name) = 1 and intDiv(1, name != '${SECRET}') = 1`)).body
    expect(rows).toEqual([[2]])
  })
})
