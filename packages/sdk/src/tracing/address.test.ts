import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { Recorder } from '../../test/recorder.ts'
import { AgentAddress, Client, EvaluatorAddress, ExperimentAddress } from '../index.ts'
import { RunTree } from '../run-trees.ts'
import { getCurrentRunTree, traceable } from '../traceable.ts'

const ADDRESS = 'lrn:agents/support/environments/production'
const support = new AgentAddress('support', 'production')

let server: Recorder
let client: Client
const warnings: string[] = []

beforeEach(async () => {
  server = await Recorder.start()
  client = new Client({ apiUrl: server.url, logger: { warn: (message) => warnings.push(message) } })
  warnings.length = 0
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await server.stop()
})

describe('an address', () => {
  it.each([
    ['support', 'Production', { kind: 'AGENT', id: 'support', environment: 'PRODUCTION' }],
    ['a', 'LOCAL', { kind: 'AGENT', id: 'a', environment: 'LOCAL' }],
  ])('of agent %s in %s has the spelling of the API', (id, environment, expected) => {
    expect({ ...new AgentAddress(id, environment) }).toEqual(expected)
  })

  it.each([
    ['Support', 'local'],
    ['1a', 'local'],
    ['a-', 'local'],
    ['a'.repeat(64), 'local'],
    ['', 'local'],
    ['support', 'test'],
    ['support', ''],
  ])('refuses agent %j in %j', (id, environment) => {
    expect(() => new AgentAddress(id, environment)).toThrow(/Agent (id|environment) must be/)
  })

  it('of an experiment is a UUID in lower case', () => {
    const id = '0197AAAA-0000-7000-8000-000000000000'
    expect(new ExperimentAddress(id).id).toBe(id.toLowerCase())
    expect(() => new ExperimentAddress('mine')).toThrow('Experiment id must be a UUID')
  })
})

describe('a traceable with an address', () => {
  it('sends its runs and those below it there, in place of a project', async () => {
    vi.stubEnv('LANGSMITH_PROJECT', 'other')
    const inner = traceable(async () => 1, { name: 'inner', project_name: 'ignored' })
    const outer = traceable(async () => await inner(), {
      name: 'outer',
      client,
      address: support,
      tracingEnabled: true,
    })
    await outer()
    await client.flush()
    expect(server.runs.map(({ name, address, session_name }) => [name, address, session_name])).toEqual([
      ['outer', ADDRESS, undefined],
      ['inner', ADDRESS, undefined],
    ])
  })

  it('takes a plain object, and another address for one call', async () => {
    const address = { kind: 'AGENT', id: 'support', environment: 'PRODUCTION' } as const
    const run = traceable(async (_options: object) => 1, {
      name: 'run',
      client,
      project_name: 'mine',
      argsConfigPath: [0],
      tracingEnabled: true,
    })
    await run({ address })
    await client.flush()
    expect(server.run('run')).toMatchObject({ address: ADDRESS })
    expect(server.run('run').session_name).toBeUndefined()
  })

  it('is refused with a project beside it, or with an address that receives no traces', () => {
    expect(() => traceable(() => 1, { address: support, project_name: 'mine' })).toThrow('not both')
    expect(() => traceable(() => 1, { address: new EvaluatorAddress() as never })).toThrow('Only an AgentAddress')
    expect(() => new RunTree({ name: 'x', address: support, project_name: 'mine' })).toThrow('not both')
  })
})

describe('recording by hand', () => {
  it('sends the address of a create and of an update', async () => {
    const id = '0197aaaa-0000-7000-8000-000000000000'
    const place = { trace_id: id, dotted_order: `20250101T000000000000Z${id}` }
    await client.createRun({ id, name: 'r', run_type: 'chain', inputs: {}, address: support, ...place })
    await client.flush()
    await client.updateRun(id, { outputs: { a: 1 }, address: support, ...place })
    await client.flush()
    await client.createRun({ name: 'alone', run_type: 'chain', inputs: {}, address: support })
    await client.batchIngestRuns({ runUpdates: [{ id, end_time: 5, address: support, ...place }] })
    for (const run of server.runs) {
      expect(run).toMatchObject({ address: ADDRESS })
      expect(run.session_name).toBeUndefined()
    }
    expect(server.calls.length).toBe(4)
  })

  it('leaves the destination of an update to its create unless it names one', async () => {
    vi.stubEnv('LANGSMITH_AGENT_ID', 'support')
    vi.stubEnv('LANGSMITH_AGENT_ENVIRONMENT', 'production')
    await client.updateRun('0197aaaa-0000-7000-8000-000000000000', { outputs: {} })
    expect(server.runs).toMatchObject([{ kinds: ['patch'] }])
    expect(server.runs[0]).not.toHaveProperty('address')
    expect(server.runs[0]).not.toHaveProperty('session_name')
  })

  it('refuses a project and an address together', async () => {
    const run = { name: 'r', run_type: 'chain', inputs: {}, address: support }
    await expect(client.createRun({ ...run, project_name: 'mine' })).rejects.toThrow('not both')
    await expect(client.createRun({ ...run, session_id: support.id })).rejects.toThrow('not both')
    await expect(
      client.createFeedback({
        runId: '0197aaaa-0000-7000-8000-000000000000',
        key: 'k',
        sessionId: 's',
        address: support,
      }),
    ).rejects.toThrow('not both')
    expect(server.calls).toEqual([])
  })

  it('gives feedback by an address', async () => {
    const runId = '0197aaaa-0000-7000-8000-000000000000'
    await client.createFeedback({ runId, key: 'k', score: 0.123456, address: support })
    const body = JSON.parse(server.calls[0]!.body.toString())
    expect(body).toMatchObject({ run_id: runId, address: ADDRESS, score: 0.1235 })
    expect(body).not.toHaveProperty('session_id')
  })
})

describe('the address of the environment', () => {
  it.each(['LANGSMITH', 'TOUCHSTONE'])('is read from %s_AGENT_ID and %s_AGENT_ENVIRONMENT', async (prefix) => {
    vi.stubEnv(`${prefix}_AGENT_ID`, 'support')
    vi.stubEnv(`${prefix}_AGENT_ENVIRONMENT`, 'production')
    await traceable(async () => 1, { name: 'run', client, tracingEnabled: true })()
    await client.createRun({ name: 'alone', run_type: 'chain', inputs: {} })
    await client.flush()
    expect(server.runs.map(({ address }) => address)).toEqual([ADDRESS, ADDRESS])
    expect(server.runs.some((run) => 'session_name' in run)).toBe(false)
  })

  it('gives way to a project named in code', async () => {
    vi.stubEnv('LANGSMITH_AGENT_ID', 'support')
    vi.stubEnv('LANGSMITH_AGENT_ENVIRONMENT', 'production')
    await traceable(async () => 1, { name: 'run', client, project_name: 'mine', tracingEnabled: true })()
    await client.flush()
    expect(server.run('run')).toMatchObject({ session_name: 'mine' })
    expect(server.run('run').address).toBeUndefined()
  })

  it('that contradicts a project is reported once, and only runs that name their destination are traced', async () => {
    vi.stubEnv('LANGSMITH_AGENT_ID', 'support')
    vi.stubEnv('LANGSMITH_AGENT_ENVIRONMENT', 'production')
    vi.stubEnv('LANGSMITH_PROJECT', 'mine')
    vi.stubEnv('LANGSMITH_TRACING', 'true')
    const inner = traceable(async () => getCurrentRunTree().tracingEnabled, { name: 'inner' })
    const outer = traceable(async () => await inner(), { name: 'outer', client })
    expect([await outer(), await outer()]).toEqual([false, false])
    await client.createRun({ name: 'alone', run_type: 'chain', inputs: {} })
    await traceable(async () => 1, { name: 'named', client, project_name: 'mine' })()
    await client.flush()
    expect(server.runs.map(({ name }) => name)).toEqual(['named'])
    expect(warnings).toEqual([
      '[touchstone] Runs that name no project or agent in code are not traced: LANGSMITH_AGENT_ID and a project are both set',
    ])
  })

  it.each([
    ['support', ''],
    ['', 'production'],
    ['Support', 'production'],
    ['support', 'test'],
  ])('that is incomplete or wrong sends nothing: %j in %j', async (id, environment) => {
    vi.stubEnv('LANGSMITH_AGENT_ID', id)
    vi.stubEnv('LANGSMITH_AGENT_ENVIRONMENT', environment)
    await traceable(async () => 1, { name: 'run', client, tracingEnabled: true })()
    await client.flush()
    expect(server.calls).toEqual([])
  })
})

describe('trace headers', () => {
  const order = '20250101T000000000000Z0197aaaa-0000-7000-8000-000000000000'
  const encoded = encodeURIComponent(ADDRESS)

  it('carry an address to the called service, which continues there', () => {
    const headers = new RunTree({ name: 'caller', address: support }).toHeaders()
    expect(headers.baggage).toBe(`langsmith-address=${encoded}`)
    const called = RunTree.fromHeaders(headers, { project_name: 'mine' })!
    expect([called.address, called.project_name]).toEqual([support, undefined])
    expect(called.createChild({ name: 'child' }).address).toEqual(support)
  })

  it.each([
    ['a project beside it', `langsmith-project=theirs,langsmith-address=${encoded}`],
    ['no agent in it', 'langsmith-address=lrn%3Aagents%2FBad%2Fenvironments%2Fproduction'],
    ['broken encoding', 'langsmith-address=%E0%A4%A'],
  ])('with %s name no destination', (_, baggage) => {
    const called = RunTree.fromHeaders({ 'langsmith-trace': order, baggage }, { project_name: 'mine' })!
    expect([called.address, called.project_name]).toEqual([undefined, 'mine'])
  })
})

describe('the link to a run with an address', () => {
  const projectId = '0197bbbb-0000-7000-8000-000000000000'
  beforeEach(() => {
    server.respond(({ path, query }) => {
      if (path === '/sessions/resolutions') return { body: { session_id: projectId, query: [...query] } }
      return path === '/sessions' ? { body: [{ id: 'x', name: 'default', tenant_id: 't' }] } : undefined
    })
  })

  it.each([
    ['the run itself', { run: { id: 'r', address: support } }],
    ['an argument', { run: { id: 'r' }, address: support }],
  ])('comes from %s and names the project that the server resolves', async (_, target) => {
    expect(await client.getRunUrl(target)).toBe(
      `${new URL(server.url).origin}/o/t/projects/p/${projectId}/r/r?poll=true`,
    )
    const [asked] = server.calls.filter(({ path }) => path === '/sessions/resolutions')
    expect(Object.fromEntries(asked!.query)).toEqual({ kind: 'AGENT', id: 'support', environment: 'PRODUCTION' })
  })

  it('comes from the environment when nothing else names a project', async () => {
    vi.stubEnv('LANGSMITH_AGENT_ID', 'support')
    vi.stubEnv('LANGSMITH_AGENT_ENVIRONMENT', 'production')
    expect(await client.getRunUrl({ run: { id: 'r' } })).toContain(projectId)
  })

  it('is refused with a project beside the address', async () => {
    const target = { run: { id: 'r' }, address: support, projectOpts: { projectName: 'mine' } }
    await expect(client.getRunUrl(target)).rejects.toThrow('not both')
  })
})
