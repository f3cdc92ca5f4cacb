import { contract, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { aTrace } from '../../testing/a-trace.ts'
import { isFull } from '../../testing/rounds.ts'
import { type StartedApp, startApp } from '../../testing/start-app.ts'
import { FUNCTION_NAMES } from './functions.ts'

const MEGABYTE = 1_000_000
/** Limit of the engine in seconds. */
const LIMIT = 1
/** For the rest of a request on a busy machine. A call that the engine cannot interrupt takes minutes to years. */
const MARGIN_MS = 19_000
const ENDS_WITHIN_MS = LIMIT * 1_000 + MARGIN_MS

let app: StartedApp
let projectId: string
/** A run of another workspace, and how to read it. */
let other: { readonly params: { readonly run_id: string }; readonly headers: Readonly<Record<string, string>> }
beforeAll(async () => {
  app = await startApp({ config: { maxQuerySeconds: LIMIT } })
  const { root, post } = aTrace({ project: `hostile-${uuid7()}` })
  const [first, ...others] = post
  const keys = Object.fromEntries(Array.from({ length: 50_000 }, (_, at) => [`key ${at}`, at]))
  const texts = { inputs: { text: 'a'.repeat(MEGABYTE) }, outputs: keys }
  await app.call(contract.runs.batch, { body: { post: [{ ...first!, ...texts }, ...others] } })
  projectId = (await app.call(contract.runs.read, { params: { run_id: root } })).body.session_id

  const { body: workspace } = await app.call(contract.workspaces.create, { body: { display_name: 'Other' } })
  const headers = { 'x-tenant-id': workspace.id }
  const theirs = aTrace({ project: 'theirs' })
  await app.call(contract.runs.batch, { body: { post: theirs.post }, headers })
  other = { params: { run_id: theirs.root }, headers }
})
afterAll(() => app.close())

const RECENT = 'start_time >= now() - interval 1 day'

async function run(select: string) {
  const began = performance.now()
  const query = `select ${select} from runs where ${RECENT} and is_root`
  const { status, text } = await app.call(contract.sql.query, { body: { project_ids: [projectId], query } })
  return { status, text, ms: performance.now() - began }
}

/** Values of a megabyte, literals of the greatest length, and what makes lists long. */
const TEXT = 'inputs'
const JSON_TEXT = 'outputs'
const LIST = "splitByString('', inputs)"
const NUMBERS = "arrayMap(x -> length(x), splitByString('', inputs))"
const NEEDLE = `'${'a'.repeat(499)}b${'a'.repeat(500)}'`
const PATTERN = `'${'(a?a?)*'.repeat(60)}b'`
const NUMBER = '1000000000'
const NESTED = `x -> has(${LIST}, x)`

/** By number of arguments. */
const ARGUMENTS: readonly (readonly string[])[] = [
  [TEXT, NUMBERS],
  [
    ...[
      `${TEXT}, ${TEXT}`,
      `${TEXT}, ${NEEDLE}`,
      `${TEXT}, ${PATTERN}`,
      `${JSON_TEXT}, ${NEEDLE}`,
      `${NEEDLE}, ${TEXT}`,
    ],
    ...[`${LIST}, ${LIST}`, `${NESTED}, ${LIST}`, `${NUMBER}, ${NUMBER}`],
  ],
  [`${TEXT}, ${NEEDLE}, ${NEEDLE}`, `${TEXT}, ${PATTERN}, ${NEEDLE}`, `${TEXT}, ${TEXT}, ${TEXT}`],
]

/** Reads of another workspace, one after the other until the work is done. */
async function whileAnotherReads(work: () => Promise<void>): Promise<void> {
  let isDone = false
  const working = work().finally(() => {
    isDone = true
  })
  try {
    do {
      const began = performance.now()
      expect((await app.call(contract.runs.read, other)).status).toBe(200)
      // Clock: the bound of the statement itself, on a busy machine; without it the read would wait for minutes.
      expect(performance.now() - began, 'a read of another workspace').toBeLessThan(ENDS_WITHIN_MS)
    } while (!isDone)
  } finally {
    await working
  }
}

const CALLED = FUNCTION_NAMES.filter((name) => !name.endsWith('If') || name === 'nullIf')

/** Functions that walk through a whole text, JSON or list, which takes the longest. */
const WALKS =
  /^(array|base64|extract|group|has|index|json|l?trim|match|multi|position|quantile|replace|rtrim|split|topk|uniq)/i

/** Functions whose names begin with the same word share most of their implementation. */
const readFamily = (name: string) => WALKS.exec(name)?.[0].toLowerCase()

/**
 * What a function is called with: all of them in a full run. With each change, each kind of argument is for one function at least
 * of each family that walks; each of the others has one, with the least number of arguments that it takes.
 */
function chooseArguments(name: string, withOneArity: readonly string[]): readonly string[] {
  const kinds = withOneArity.length
  if (isFull) return withOneArity
  if (!WALKS.test(name)) return [withOneArity[CALLED.indexOf(name) % kinds]!]
  const family = CALLED.filter((one) => readFamily(one) === readFamily(name))
  return withOneArity.filter((_, kind) => kind % family.length === family.indexOf(name) % kinds)
}

describe('a call of an allowed function ends with values of a megabyte, while another workspace reads', () => {
  it.each(CALLED)('%s', (name) => whileAnotherReads(() => callWithEach(name)), 120_000)
})

async function callWithEach(name: string): Promise<void> {
  for (const withOneArity of ARGUMENTS) {
    let isTaken = false
    for (const args of chooseArguments(name, withOneArity)) {
      // The value itself is not printed: the response would be the slowest part.
      const call = `length(toString(${name}(${args}))) as n`
      const { status, text, ms } = await run(call)
      expect([200, 400], `${call.slice(0, 200)} → ${text.slice(0, 300)}`).toContain(status)
      expect(ms, call.slice(0, 200)).toBeLessThan(ENDS_WITHIN_MS)
      if (text.includes('NUMBER_OF_ARGUMENTS_DOESNT_MATCH')) break
      isTaken = true
    }
    if (isTaken && !isFull && !WALKS.test(name)) return
  }
}
