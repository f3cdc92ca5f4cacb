import { createHash } from 'node:crypto'
import { contract, type Route, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type FilledWorkspace, fillWorkspace, type Kind } from './support/fill-workspace.ts'
import {
  type CallableRoute,
  callableRoutes,
  type Field,
  type GeneratedRequest,
  generateRequest,
} from './support/generate-requests.ts'
import { inParallel, type RawAnswer, rawJson, rawRequest } from './support/raw-request.ts'
import { callJson, type Headers, startTeam, type Team } from './support/start-team.ts'

/** In every text of workspace A. */
const CANARY = 'zq7canary'

/** What a field or parameter names, by its name; `id` and `token` mean something else on each route. */
const KIND_OF_NAME: Readonly<Record<string, Kind>> = {
  session: 'project',
  session_id: 'project',
  session_ids: 'project',
  project_id: 'project',
  project_ids: 'project',
  experiment_ids: 'experiment',
  baseline_session_id: 'experiment',
  baseline_experiment_id: 'experiment',
  // An experiment is not compared with itself, so this is another project.
  comparison_session_ids: 'project',
  run: 'run',
  run_id: 'run',
  run_ids: 'run',
  source_run_id: 'run',
  example_run_ids: 'run',
  parent_run: 'run',
  trace: 'run',
  trace_id: 'run',
  trace_ids: 'run',
  thread_id: 'thread',
  feedback_thread_id: 'thread',
  dataset: 'dataset',
  dataset_id: 'dataset',
  dataset_ids: 'dataset',
  default_dataset: 'dataset',
  default_dataset_id: 'dataset',
  reference_dataset: 'dataset',
  reference_dataset_id: 'dataset',
  source_dataset_id: 'dataset',
  target_dataset_id: 'dataset',
  example: 'example',
  example_id: 'example',
  example_ids: 'example',
  reference_example: 'example',
  reference_examples: 'example',
  source_proposed_example_id: 'example',
  feedback_id: 'feedback',
  feedback_key: 'feedback key',
  comparative_experiment_id: 'comparative experiment',
  override_id: 'column override',
  queue_id: 'queue',
  queue_ids: 'queue',
  queue_run_id: 'queue item',
  item_id: 'queue item',
  item_ids: 'queue item',
  identity_id: 'member',
  owner: 'handle',
  tenant_handle: 'handle',
  tenant_id: 'workspace',
  repo: 'prompt',
  repo_handle: 'prompt',
  repo_ids: 'prompt id',
  owned_by_repo_id: 'prompt id',
  include_prompts: 'prompt id',
  exclude_prompts: 'prompt id',
  commit: 'commit',
  parent_commit: 'commit',
  commit_id: 'commit id',
  tag_name: 'tag',
  comment_id: 'comment',
  webhook_id: 'webhook',
  channel_id: 'notification channel',
  delivery_id: 'webhook delivery',
  skip_webhooks: 'webhook',
  provider_id: 'model provider',
  view_id: 'view',
  dashboard_id: 'dashboard',
  evaluator_ids: 'evaluator',
  job_id: 'bulk job',
}

/** What `id` and `ids` name, by the start of the path. */
const KIND_OF_ID: readonly (readonly [start: string, kind: Kind])[] = [
  ['/api-key', 'key'],
  ['/hub/environments', 'environment'],
  ['/workspaces/current/invites', 'invite'],
  ['/workspaces/current/members', 'member'],
  ['/workspaces/', 'workspace'],
  ['/model-price-map', 'price'],
  ['/sessions', 'project'],
  ['/datasets', 'dataset'],
  ['/examples', 'example'],
  ['/annotation-queues', 'queue'],
  ['/feedback', 'feedback'],
  ['/resolve', 'run'],
  ['/runs', 'run'],
  ['/bulk', 'run'],
]

/** Public routes take tokens, which are credentials: the holder may read. What they open is tested in share-links.test.ts. */
const isCalled = ({ route }: CallableRoute) =>
  route.access !== 'public' && route.path !== SETS_A_PUBLIC_NAME && !OF_THE_CALLER.has(route.path)

/** Names of workspaces are public, so that a name which is taken is refused. */
const SETS_A_PUBLIC_NAME = '/settings/handle'

/** Ends the caller's own account or sign-in. */
const OF_THE_CALLER: ReadonlySet<string> = new Set(['/auth/leave', '/auth/password', '/auth/sign-ins/{id}'])

function kindOf({ route }: CallableRoute, { name, place }: Field): Kind | undefined {
  if (name === 'token' && route.path.startsWith('/auth/invites')) return 'invite token'
  if (name === 'token') return 'feedback link'
  if (name === 'delivery_id' && route.path.startsWith('/notification')) return 'notification delivery'
  if (name === 'id' && route.path === '/model-providers/test') return 'model provider'
  if (name === 'evaluator_id') return route.family === 'platform' ? 'evaluator' : 'saved evaluator'
  if (name !== 'id' && name !== 'ids') return KIND_OF_NAME[name]
  if (
    place === 'body' &&
    route.method === 'POST' &&
    !/query|stats|bulk|facets|series|histogram|values/.test(route.path)
  )
    return undefined
  return KIND_OF_ID.find(([start]) => route.path.startsWith(start))?.[1]
}

/** An unused id or name of the same kind. */
function unknownOf(kind: Kind): string {
  if (kind === 'commit') return createHash('sha256').update(crypto.randomUUID()).digest('hex')
  const isName = ['handle', 'thread', 'feedback key', 'prompt', 'tag', 'invite token'].includes(kind)
  return isName ? `x${crypto.randomUUID()}` : uuid7()
}

/** Reading comes first and making last, so that nothing which B makes on the way explains a difference. */
const ORDER = ['reading', 'DELETE', 'PATCH', 'PUT', 'POST', 'ingest']

function orderOf({ route }: CallableRoute): number {
  // Ingest takes ids that the caller chooses: from then on B has a run of its own with the id of A's.
  const isIngest = (Object.values(contract.runs) as Route[]).includes(route) && route.access === 'write'
  const isReading = route.method === 'GET' || (route.method === 'POST' && route.access === 'key')
  return ORDER.indexOf(isIngest ? 'ingest' : isReading ? 'reading' : route.method)
}

/** All references of a route at once, then each optional one alone: two together may refuse each other. */
function selections(called: CallableRoute): readonly ((field: Field) => boolean)[] {
  const optional = new Set<string>()
  generateRequest(called, (field) => {
    if (!field.isRequired && kindOf(called, field) !== undefined) optional.add(field.name)
    return undefined
  })
  return [() => true, ...[...optional].map((name) => (field: Field) => field.isRequired || field.name === name)]
}

let team: Team
let a: FilledWorkspace
let b: Headers
beforeAll(async () => {
  team = await startTeam()
  a = await fillWorkspace(team.url, team.keys.admin, CANARY)
  b = await aSecondWorkspace(team)
})
afterAll(() => team?.server.stop())

/** The key of an admin in a workspace of its own, who does not administer the server. */
async function aSecondWorkspace({ url, addPerson }: Team): Promise<Headers> {
  const owner = await addPerson('admin')
  const { id } = await callJson<{ id: string }>(url, owner, 'POST', '/workspaces', { display_name: 'B' })
  const inside = { ...owner, 'x-tenant-id': id }
  const { key } = await callJson<{ key: string }>(url, inside, 'POST', '/api-key', { role: 'admin', description: 'B' })
  return { 'x-api-key': key }
}

/** A workspace has one job of some kinds at a time: the second request would be refused because of the first. */
async function untilJobsEnded(): Promise<void> {
  const countUnderWay = async () => {
    const { jobs } = await callJson<{ jobs: { status: string }[] }>(team.url, b, 'GET', '/api/v1/jobs')
    return jobs.filter(({ status }) => status === 'waiting' || status === 'running').length
  }
  await expect.poll(countUnderWay).toBe(0)
}

/** A response without the caller's own texts and without values that differ from call to call. */
function shapeOf({ status, text }: RawAnswer, said: Iterable<string>): string {
  let masked = text
  for (const value of said) masked = masked.replaceAll(value, '<id>').replaceAll(encodeURIComponent(value), '<id>')
  masked = masked
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi, '<uuid>')
    .replaceAll(/\d{4}-\d\d-\d\d[T ][\d:.]+(Z|\+00:00)?/g, '<time>')
    .replaceAll(/text-\d+/g, '<text>')
    // Counts what B made with the same id in an earlier request.
    .replaceAll(/"test_run_number":\d+/g, '<number>')
    .replaceAll(/\b[0-9a-f]{8,64}\b/g, '<hash>')
    .replaceAll(/ts_\w+(\.\.\.\w+)?/g, '<key>')
  return `${status} ${masked}`
}

/** An upload with an id goes to the dataset that B's earlier upload with the same id has made in B. */
const addsToItsOwn = ({ route }: CallableRoute) => route.path === '/datasets/upload-experiment'
const OWN_COUNT = /"session_count":\d+,/g

let texts = 0

async function call(called: CallableRoute, isSelected: (field: Field) => boolean, idOf: (kind: Kind) => string) {
  const said = new Set<string>()
  // One id per kind: a root run is its own trace, so unused ids must have the same relation.
  const ids = new Map<Kind, string>()
  const request: GeneratedRequest = generateRequest(called, (field) => {
    const kind = kindOf(called, field)
    if (kind === undefined) {
      const isFreeText = field.place === 'body' && field.isRequired && field.schema.type === 'string'
      const isPlain = isFreeText && field.schema.enum === undefined && field.schema.format === undefined
      return isPlain ? `text-${++texts}` : undefined
    }
    if (!isSelected(field) && !field.isRequired) return undefined
    const id = ids.get(kind) ?? idOf(kind)
    ids.set(kind, id)
    said.add(id)
    return id
  })
  const answer =
    request.body === undefined
      ? await rawRequest(team.url, { method: request.method, path: request.path, headers: b })
      : await rawJson(team.url, request.method, request.path, request.body, b)
  if (/"status":"(waiting|running)"/.test(answer.text)) await untilJobsEnded()
  const shape = shapeOf(answer, said)
  return { request, answer, said, shape: addsToItsOwn(called) ? shape.replaceAll(OWN_COUNT, '') : shape }
}

/** Everything that A's admin can list or read about what it has. */
async function readEverything({ ids, headers }: FilledWorkspace): Promise<Record<string, string>> {
  const paths = [
    '/settings',
    '/workspaces/current/stats',
    '/workspaces/current/retention',
    '/workspaces/current/members',
    '/workspaces/current/invites',
    '/workspaces/current/shared',
    '/api-key',
    '/sessions?limit=100',
    `/sessions/${ids.project}`,
    `/sessions/${ids.project}/retention`,
    `/runs/${ids.run}`,
    `/runs/${ids.run}/share`,
    `/feedback?run=${ids.run}`,
    '/feedback-configs',
    `/feedback/tokens?run_id=${ids.run}`,
    '/datasets',
    `/datasets/${ids.dataset}/versions`,
    `/datasets/${ids.dataset}/splits`,
    `/datasets/${ids.dataset}/share`,
    `/datasets/${ids.dataset}/comparative`,
    `/datasets/${ids.dataset}/experiment-view-overrides`,
    `/examples?dataset=${ids.dataset}`,
    '/annotation-queues',
    `/annotation-queues/${ids.queue}/runs`,
    '/repos?limit=100',
    `/repos/-/${ids.prompt}/tags`,
    `/commits/-/${ids.prompt}`,
    `/commits/-/${ids.prompt}/${ids.commit}`,
    `/comments/-/${ids.prompt}`,
    '/hub/environments',
    '/prompt-webhooks',
    '/notification-channels',
    '/model-providers',
    '/platform/evaluators',
    '/evaluators',
    `/evaluators/${ids['saved evaluator']}/versions`,
    `/ui/views?session_id=${ids.project}`,
    `/dashboards?session_id=${ids.project}`,
    '/model-price-map',
    '/jobs',
    `/jobs/${ids['bulk job']}`,
  ]
  const entries = await inParallel(paths, 4, async (path) => {
    const read = await callJson<unknown>(team.url, headers, 'GET', `/api/v1${path}`)
    return [path, JSON.stringify(read, hideWhatMoves)] as const
  })
  return Object.fromEntries(entries)
}

/** Signed URLs carry their end, these times follow the clock, and A's own reading counts as a download. */
const hideWhatMoves = (name: string, value: unknown) =>
  /^(presigned_url|download_url|last_used_at|last_seen_at|removes_before|num_downloads)$/.test(name) ? '<moves>' : value

describe('workspace B, with the ids of workspace A', () => {
  it('A has an object of every kind, and sees it', async () => {
    const everything = JSON.stringify(await readEverything(a))
    for (const [kind, id] of Object.entries(a.ids)) {
      // A delivery is not in a list that stays the same, because the server tries again.
      if (
        ['thread', 'invite token', 'blob token', 'feedback key', 'webhook delivery', 'notification delivery'].includes(
          kind,
        )
      )
        continue
      expect({ kind, isSeen: everything.includes(id) }).toEqual({ kind, isSeen: true })
    }
  })

  it('gets the same answer as for unused ids, from every route, and changes nothing', {
    timeout: 300_000,
  }, async () => {
    const before = await readEverything(a)
    const routes = callableRoutes()
      .filter(isCalled)
      .sort((one, other) => orderOf(one) - orderOf(other))
    const differences: string[] = []
    let requests = 0
    for (const called of routes) {
      for (const isSelected of selections(called)) {
        const theirs = await call(called, isSelected, (kind) => a.ids[kind])
        if (theirs.said.size === 0) continue
        const unused = await call(called, isSelected, unknownOf)
        requests += 2
        const where = `${theirs.request.method} ${theirs.request.path} ${JSON.stringify(theirs.request.body) ?? ''}`
        const ownText = [...theirs.said].reduce((text, id) => text.replaceAll(id, ''), theirs.answer.text)
        if (ownText.includes(CANARY))
          differences.push(`${where}: tells a secret of A: ${theirs.answer.text.slice(0, 300)}`)
        if (theirs.shape !== unused.shape) {
          differences.push(
            `${where}:\n  A's:      ${theirs.shape.slice(0, 300)}\n  unused:   ${unused.shape.slice(0, 300)}`,
          )
        }
      }
    }
    expect(differences).toEqual([])
    expect(await readEverything(a)).toEqual(before)
    expect(requests).toBeGreaterThan(600)
  })

  it('does not get A by naming it in X-Tenant-Id', async () => {
    for (const path of ['/api/v1/settings', '/api/v1/sessions', '/api/v1/api-key']) {
      const { status, text } = await rawRequest(team.url, {
        path,
        headers: { ...b, 'x-tenant-id': a.ids.workspace },
      })
      expect(status).toBe(403)
      expect(text).not.toContain(CANARY)
    }
  })
})
