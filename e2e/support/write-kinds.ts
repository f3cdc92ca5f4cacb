import { randomBytes, randomUUID } from 'node:crypto'
import { aRunHead, multipart, type Part } from './raw-ingest.ts'
import { type Answered, type CallServer, Form, type KeptWrite, type WriteLedger } from './write-ledger.ts'

/** Shared objects of all writers, created once on an empty server. */
export interface WriteWorld {
  readonly key: string
  readonly projectId: string
  readonly datasetId: string
  readonly queueId: string
  readonly prompt: string
  readonly commits: readonly string[]
}

export interface WriteContext {
  readonly call: CallServer
  readonly world: WriteWorld
  readonly ledger: WriteLedger
}

const PROJECT = 'ledger'

/** @param first  calls the server before it has any key */
export async function makeWriteWorld(first: CallServer, withKey: (key: string) => CallServer): Promise<WriteWorld> {
  const { key } = ok(await first('POST', '/api-key', { description: 'the ledger', role: 'admin' }))
  const call = withKey(key)
  const project = ok(await call('POST', '/sessions', { name: PROJECT }))
  const dataset = ok(await call('POST', '/datasets', { name: PROJECT }))
  const queue = ok(await call('POST', '/annotation-queues', { name: PROJECT }))
  ok(await call('POST', '/repos', { repo_handle: PROJECT, is_public: false }))
  const commits: string[] = []
  for (const text of ['one', 'two']) {
    const parent = commits.at(-1)
    const { commit } = ok(
      await call('POST', `/commits/-/${PROJECT}`, { manifest: aManifest(text), parent_commit: parent }),
    )
    commits.push(commit.commit_hash)
  }
  return { key, projectId: project.id, datasetId: dataset.id, queueId: queue.id, prompt: PROJECT, commits }
}

/**
 * Writes all kinds in turn until `signal` is aborted. Broken connections are expected: the server is killed meanwhile.
 *
 * @param apartMs  pause after each write, so that a writer beside a backup does not write, and later read, thousands of runs
 * @throws Error when the server rejects a write
 */
export async function writeUntil(
  signal: AbortSignal,
  context: WriteContext,
  start: number,
  apartMs = 0,
): Promise<void> {
  for (let at = start; !signal.aborted; at++) {
    if (apartMs > 0) await new Promise((resolve) => setTimeout(resolve, apartMs))
    await WRITES[at % WRITES.length]!(context).catch((error) => {
      if (error instanceof Refused) throw error
      return new Promise((resolve) => setTimeout(resolve, 5))
    })
  }
}

type Write = (context: WriteContext) => Promise<unknown>

/** Each writes once or twice and records what was acknowledged. */
const WRITES: readonly Write[] = [
  async (context) => addRun(context),
  async (context) => addRun(context, randomBytes(3000)),
  async (context) => {
    const runId = await addRun(context)
    const id = randomUUID()
    ok(await context.call('POST', '/feedback', { id, run_id: runId, key: 'quality', score: 0.5 }))
    const given = context.ledger.keep(
      'feedback',
      exists(`/feedback/${id}`, ({ score }) => Number(score) === 0.5),
    )
    await remove(context, given, 'deleted feedback', `/feedback/${id}`)
  },
  async ({ call, world, ledger }) => {
    const runId = await addRun({ call, world, ledger })
    const id = randomUUID()
    ok(await call('POST', '/feedback', { id, run_id: runId, key: 'quality', score: 1 }))
    ledger.keep(
      'feedback',
      exists(`/feedback/${id}`, ({ score }) => Number(score) === 1),
    )
  },
  async ({ call, world, ledger }) => {
    const id = randomUUID()
    ok(await call('POST', '/examples', { id, dataset_id: world.datasetId, inputs: { id } }))
    ledger.keep(
      'example',
      exists(`/examples/${id}`, ({ inputs }) => inputs.id === id),
    )
  },
  async ({ call, ledger }) => {
    const handle = `p${randomUUID()}`
    ok(await call('POST', '/repos', { repo_handle: handle, is_public: false }))
    ledger.keep('prompt', exists(`/repos/-/${handle}`))
    const { commit } = ok(await call('POST', `/commits/-/${handle}`, { manifest: aManifest(handle) }))
    const path = `/commits/-/${handle}/${commit.commit_hash}`
    ledger.keep(
      'commit',
      exists(path, ({ manifest }) => manifest.kwargs.template === handle),
    )
  },
  async ({ call, world: { prompt, commits }, ledger }) => {
    const name = `t${randomUUID()}`
    const path = `/repos/-/${prompt}/tags/${name}`
    const points = (hash: string) => exists(path, ({ commit_hash }) => commit_hash === hash)
    const ids = ok(await call('GET', `/commits/-/${prompt}`)).commits as { id: string; commit_hash: string }[]
    const [from, to] = commits.map((hash) => ids.find(({ commit_hash }) => commit_hash === hash)!)
    ok(await call('POST', `/repos/-/${prompt}/tags`, { tag_name: name, commit_id: from!.id }))
    const made = ledger.keep('tag', points(from!.commit_hash))
    ledger.replace(made)
    ok(await call('PATCH', path, { commit_id: to!.id }))
    ledger.keep('moved tag', points(to!.commit_hash))
  },
  async ({ call, world, ledger }) => {
    const runId = await addRun({ call, world, ledger })
    const [item] = ok(await call('POST', `/annotation-queues/${world.queueId}/runs`, [runId]))
    const holds = exists(`/annotation-queues/${runId}/queues`, (queues) =>
      JSON.stringify(queues).includes(world.queueId),
    )
    ledger.keep('queue item', holds)
    ok(await call('POST', `/annotation-queues/status/${item.id}`, { status: 'completed' }))
    const path = `/annotation-queues/${world.queueId}/runs/resolve/${item.id}`
    ledger.keep(
      'completed queue item',
      exists(path, ({ section }) => section === 'completed'),
    )
  },
  async ({ call, ledger }) => {
    const name = randomUUID()
    const price = { name, match_pattern: `^${name}$`, prompt_cost: '0.1', completion_cost: '0.2' }
    ok(await call('POST', '/model-price-map', price))
    ledger.keep('price', isListed('/model-price-map', name))
  },
  async ({ call, ledger }) => {
    const name = randomUUID()
    ok(await call('POST', '/ui/views', { name, state: { filter: 'eq(name,"a")' } }))
    ledger.keep('view', isListed('/ui/views', name))
  },
  async ({ call, ledger }) => {
    const { id } = ok(await call('POST', '/dashboards', { name: randomUUID() }))
    ledger.keep('dashboard', exists(`/dashboards/${id}`))
  },
  async ({ call, ledger }) => {
    const name = randomUUID()
    const { id } = ok(await call('POST', '/sessions', { name }))
    const named = (wanted: string) => exists(`/sessions/${id}`, (project) => project.name === wanted)
    const made = ledger.keep('project', named(name))
    ok(await call('PUT', `/sessions/${id}/retention`, { days: 77 }))
    ledger.keep(
      'retention',
      exists(`/sessions/${id}/retention`, ({ days }) => days === 77),
    )
    ledger.replace(made)
    ok(await call('PATCH', `/sessions/${id}`, { name: `${name} renamed` }))
    ledger.keep('project name', named(`${name} renamed`))
  },
  async (context) => {
    const { id, key } = ok(await context.call('POST', '/api-key', { description: 'short-lived' }))
    const works = (status: number) => (call: CallServer) => withKey(call, key, status)
    const made = context.ledger.keep('key', works(200))
    if (Math.random() < 0.5) return
    await remove(context, made, 'revoked key', `/api-key/${id}`, works(401))
  },
  async (context) => {
    const runId = await addRun(context)
    const { share_token } = ok(await context.call('PUT', `/runs/${runId}/share`, {}))
    const path = `/public/${share_token}/run`
    const made = context.ledger.keep('share', exists(path))
    if (Math.random() < 0.5) return
    await remove(context, made, 'revoked share', `/runs/${runId}/share`, isGone(path))
  },
  async (context) => {
    const runId = await addRun(context)
    const { id } = ok(await context.call('POST', '/feedback/tokens', { run_id: runId, feedback_key: 'thumbs' }))
    const path = `/feedback/tokens?run_id=${runId}`
    const made = context.ledger.keep('feedback link', isListed(path, id))
    if (Math.random() < 0.5) return
    await remove(context, made, 'revoked feedback link', `/feedback/tokens/${id}`, isNotListed(path, id))
  },
  async ({ call, ledger }) => {
    const { id } = ok(await call('POST', '/datasets', { name: randomUUID() }))
    ledger.keep('dataset', exists(`/datasets/${id}`))
  },
  async ({ call, ledger }) => {
    const { token } = ok(await call('POST', '/workspaces/current/invites', { role: 'viewer' }))
    ledger.keep('invite', exists(`/auth/invites/${token}`))
  },
  async ({ call, ledger }) => {
    const key = `k${randomUUID()}`
    const config = { feedback_key: key, feedback_config: { type: 'continuous', min: 0, max: 7 } }
    ok(await call('POST', '/feedback-configs', config))
    ledger.keep('feedback config', isListed(`/feedback-configs?key=${key}`, key))
  },
  async (context) => {
    if (Math.random() < 0.5) return // deletions rewrite parts of tables; with two in every round there would be no time for anything else
    const runId = await addRun(context, undefined, 'deleted later')
    const { call, world, ledger } = context
    ok(await call('POST', '/runs/delete/traces', { session_id: world.projectId, trace_ids: [runId] }))
    ledger.keep('deleted trace', isGone(`/runs/${runId}`))
  },
]

/** @param kind  kind in the ledger; runs that are deleted later are not recorded */
async function addRun({ call, ledger }: WriteContext, attachment?: Buffer, kind = 'run'): Promise<string> {
  const head = aRunHead({ session_name: PROJECT, end_time: new Date().toISOString() })
  const parts: Part[] = [
    { name: `post.${head.id}`, body: JSON.stringify(head) },
    { name: `post.${head.id}.inputs`, body: JSON.stringify({ question: head.id }) },
  ]
  if (attachment) parts.push({ name: `attachment.${head.id}.blob`, body: attachment, type: 'application/octet-stream' })
  const form = multipart(parts)
  ok(await call('POST', '/runs/multipart', new Form(form.contentType, new Uint8Array(form.body))))
  if (kind !== 'run') return head.id
  const isWhole = exists(`/runs/${head.id}`, ({ inputs }) => inputs.question === head.id)
  if (attachment === undefined) ledger.keep('run', isWhole)
  else
    ledger.keep('run with attachment', async (ask) => (await isWhole(ask)) ?? (await lacks(ask, head.id, attachment)))
  return head.id
}

async function lacks(call: CallServer, runId: string, attachment: Buffer): Promise<string | undefined> {
  const { body } = await call('GET', `/runs/${runId}`)
  const url = body.s3_urls?.['attachment.blob']?.presigned_url
  if (url === undefined) return `run ${runId} has lost its attachment`
  const found = await call('GET', new URL(url).pathname.replace('/api/v1', ''))
  return found.status === 200 && attachment.equals(found.body) ? undefined : `run ${runId} has another attachment`
}

async function remove(
  { call, ledger }: WriteContext,
  made: KeptWrite,
  kind: string,
  path: string,
  check: KeptWrite['check'] = isGone(path),
): Promise<void> {
  ledger.replace(made)
  ok(await call('DELETE', path))
  ledger.keep(kind, check)
}

// biome-ignore lint/suspicious/noExplicitAny: the body of whatever was asked for
type Body = any

const exists =
  (path: string, isRight: (body: Body) => boolean = () => true): KeptWrite['check'] =>
  async (call) => {
    const { status, body } = await call('GET', path)
    if (status !== 200) return `GET ${path} was answered ${status}`
    return isRight(body) ? undefined : `GET ${path} has other content: ${JSON.stringify(body).slice(0, 200)}`
  }

const isGone =
  (path: string): KeptWrite['check'] =>
  async (call) => {
    const { status } = await call('GET', path)
    return status === 404 ? undefined : `GET ${path} was answered ${status} instead of 404`
  }

const isListed = (path: string, text: string) => exists(path, (body) => JSON.stringify(body).includes(text))
const isNotListed = (path: string, text: string) => exists(path, (body) => !JSON.stringify(body).includes(text))

async function withKey(call: CallServer, key: string, wanted: number): Promise<string | undefined> {
  const { status } = await call('GET', '/settings', undefined, key)
  return status === wanted ? undefined : `the key ${key.slice(0, 6)}… was answered ${status} instead of ${wanted}`
}

/** @throws Error unless the server acknowledged it; of a server that cannot answer now, as of a broken connection */
function ok({ status, body }: Answered): Body {
  if (status >= 200 && status < 300) return body
  if (status === 503) throw new Error(`answered 503: ${JSON.stringify(body).slice(0, 300)}`)
  throw new Refused(`answered ${status}: ${JSON.stringify(body).slice(0, 300)}`)
}

class Refused extends Error {
  override readonly name = 'Refused'
}

const aManifest = (template: string) => ({
  lc: 1,
  type: 'constructor',
  id: ['langchain', 'prompts', 'prompt', 'PromptTemplate'],
  kwargs: { template, input_variables: [], template_format: 'f-string' },
})
