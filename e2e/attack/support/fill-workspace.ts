import { aRunHead, multipart } from '../../support/raw-ingest.ts'
import { rawRequest } from './raw-request.ts'
import { callJson, type Headers } from './start-team.ts'

/** What an object is, as routes name it; each is made once in a filled workspace. */
export type Kind =
  | 'workspace'
  | 'handle'
  | 'project'
  | 'run'
  | 'thread'
  | 'dataset'
  | 'example'
  | 'feedback'
  | 'feedback key'
  | 'feedback link'
  | 'run share'
  | 'dataset share'
  | 'experiment'
  | 'comparative experiment'
  | 'column override'
  | 'queue'
  | 'queue item'
  | 'prompt'
  | 'prompt id'
  | 'commit'
  | 'commit id'
  | 'tag'
  | 'comment'
  | 'environment'
  | 'webhook'
  | 'webhook delivery'
  | 'notification channel'
  | 'notification delivery'
  | 'model provider'
  | 'view'
  | 'dashboard'
  | 'evaluator'
  | 'saved evaluator'
  | 'price'
  | 'bulk job'
  | 'key'
  | 'invite'
  | 'invite token'
  | 'member'
  | 'blob token'

export interface FilledWorkspace {
  /** An id, name or token of each kind. */
  readonly ids: Readonly<Record<Kind, string>>
  readonly headers: Headers
}

interface Made {
  readonly id: string
}

/** Creates an object of every kind. All their texts contain `canary`, which other workspaces must not see. */
export async function fillWorkspace(url: string, headers: Headers, canary: string): Promise<FilledWorkspace> {
  const call = <Answer = Made>(method: string, path: string, body?: unknown) =>
    callJson<Answer>(url, headers, method, `/api/v1${path}`, body)
  const text = (what: string) => `${what} ${canary}`
  const slug = (what: string) => `${what}-${canary}`

  const settings = await call<{ id: string }>('GET', '/settings')
  await call('POST', '/settings/handle', { tenant_handle: slug('handle') })
  const project = await call('POST', '/sessions', { name: text('project'), description: text('description') })
  const dataset = await call('POST', '/datasets', { name: text('dataset'), description: text('description') })
  const example = await call('POST', '/examples', {
    dataset_id: dataset.id,
    inputs: { question: text('input') },
    outputs: { answer: text('output') },
    split: slug('split'),
  })
  const experiment = await call('POST', '/sessions', { name: text('experiment'), reference_dataset_id: dataset.id })
  const run = aRunHead({
    session_name: text('project'),
    name: text('run'),
    inputs: { question: text('run input') },
    outputs: { answer: text('run output') },
    end_time: new Date().toISOString(),
    tags: [slug('run-tag')],
    extra: { metadata: { thread_id: slug('thread') } },
  })
  const { contentType, body } = multipart([
    { name: `post.${run.id}`, body: JSON.stringify(run) },
    { name: `attachment.${run.id}.${slug('file')}`, body: text('attached'), type: 'text/plain' },
  ])
  await rawRequest(url, {
    method: 'POST',
    path: '/runs/multipart',
    body,
    headers: { ...headers, 'content-type': contentType, 'content-length': String(body.length) },
  })
  const result = aRunHead({
    session_name: text('experiment'),
    name: text('result'),
    reference_example_id: example.id,
    outputs: { answer: text('result') },
    end_time: new Date().toISOString(),
  })
  await call('POST', '/runs/batch', { post: [result] })

  const feedback = await call('POST', '/feedback', {
    run_id: run.id,
    key: slug('feedback'),
    score: 1,
    comment: text('comment'),
  })
  await call('POST', '/feedback-configs', { feedback_key: slug('config'), feedback_config: { type: 'freeform' } })
  const link = await call<{ id: string; url: string }>('POST', '/feedback/tokens', {
    run_id: run.id,
    feedback_key: slug('link'),
    expires_in: { days: 1 },
  })
  const shared = await call<{ share_token: string }>('PUT', `/runs/${run.id}/share`)
  const sharedDataset = await call<{ share_token: string }>('PUT', `/datasets/${dataset.id}/share`)
  const comparative = await call('POST', '/datasets/comparative', {
    experiment_ids: [experiment.id],
    reference_dataset_id: dataset.id,
    name: text('comparative'),
  })
  const override = await call('POST', `/datasets/${dataset.id}/experiment-view-overrides`, {
    column_overrides: [{ column: `metadata.${canary}`, hide: true }],
  })
  const queue = await call('POST', '/annotation-queues', { name: text('queue'), session_ids: [] })
  const [item] = await call<Made[]>('POST', `/annotation-queues/${queue.id}/runs`, [{ run_id: run.id }])

  const handle = slug('prompt')
  const prompt = await call<{ repo: Made }>('POST', '/repos', { repo_handle: handle, is_public: false })
  const { commit } = await call<{ commit: { id: string; commit_hash: string } }>('POST', `/commits/-/${handle}`, {
    manifest: {
      lc: 1,
      type: 'constructor',
      id: ['langchain', 'prompts', 'prompt', 'PromptTemplate'],
      kwargs: { template: text('prompt'), input_variables: [] },
    },
  })
  await call('POST', `/repos/-/${handle}/tags`, { tag_name: slug('tag'), commit_id: commit.id })
  const comment = await call<Made>('POST', `/comments/-/${handle}`, { content: text('prompt comment') })
  const environments = await call<Made>('POST', '/hub/environments', { environments: [{ name: slug('environment') }] })
  const webhook = await call('POST', '/prompt-webhooks', {
    url: `https://receiver.invalid/${canary}`,
    headers: { authorization: text('secret') },
    include_prompts: [prompt.repo.id],
    triggers: ['tag:create'],
  })
  await call('POST', `/repos/-/${handle}/tags`, { tag_name: slug('delivered'), commit_id: commit.id })
  const { deliveries } = await call<{ deliveries: Made[] }>('GET', `/prompt-webhooks/${webhook.id}/deliveries`)
  if (deliveries[0] === undefined) throw new Error('The tag was not delivered to the webhook.')

  const channel = await call('POST', '/notification-channels', {
    name: text('channel'),
    config: { kind: 'webhook', url: `https://receiver.invalid/${canary}`, headers: { authorization: text('secret') } },
  })
  const tested = await call<Made>('POST', `/notification-channels/${channel.id}/test`)

  const provider = await call('POST', '/model-providers', {
    name: text('provider'),
    kind: 'openai-chat',
    base_url: `https://models.invalid/${canary}`,
    key: slug('key-of-the-provider'),
    headers: { 'x-team': slug('header') },
  })

  const view = await call('POST', '/ui/views', { name: text('view'), session_id: project.id, state: { t: '1d' } })
  const dashboard = await call('POST', '/dashboards', { name: text('dashboard'), session_id: project.id, charts: [] })
  const { evaluator } = await call<{ evaluator: Made }>('POST', '/platform/evaluators', {
    name: text('evaluator'),
    type: 'code',
    code_evaluator: { code: text('code') },
    metadata: { note: text('note') },
  })
  const savedEvaluator = await call('POST', '/evaluators', {
    name: text('saved evaluator'),
    description: text('what it judges'),
    definition: { kind: 'javascript', source: `const evaluate = () => '${canary}'`, keys: [slug('judged')] },
    note: text('first'),
  })
  const price = await call('POST', '/model-price-map', {
    name: text('price'),
    match_pattern: canary,
    prompt_cost: '1',
    completion_cost: '2',
  })
  await call('PUT', `/sessions/${project.id}/retention`, { days: 3_650 })
  const { job } = await call<{ job: Made }>('POST', '/bulk', {
    session: [project.id],
    action: 'export',
  })
  const key = await call('POST', '/api-key', { description: text('key') })
  const invite = await call<{ id: string; token: string }>('POST', '/workspaces/current/invites', {
    email: `${canary}@invited.example`,
  })
  const members = await call<{ id: string; role: string }[]>('GET', '/workspaces/current/members')
  // An admin may belong to other workspaces too.
  const member = members.find(({ role }) => role === 'viewer')
  const read = await call<{ s3_urls: Record<string, { presigned_url: string }> }>('GET', `/runs/${run.id}`)
  const presigned = Object.values(read.s3_urls)[0]!.presigned_url

  return {
    headers,
    ids: {
      workspace: settings.id,
      handle: slug('handle'),
      project: project.id,
      run: run.id,
      thread: slug('thread'),
      dataset: dataset.id,
      example: example.id,
      feedback: feedback.id,
      'feedback key': slug('config'),
      'feedback link': link.id,
      'run share': shared.share_token,
      'dataset share': sharedDataset.share_token,
      experiment: experiment.id,
      'comparative experiment': comparative.id,
      'column override': override.id,
      queue: queue.id,
      'queue item': item!.id,
      prompt: handle,
      'prompt id': prompt.repo.id,
      commit: commit.commit_hash,
      'commit id': commit.id,
      tag: slug('tag'),
      comment: comment.id,
      environment: environments.id,
      webhook: webhook.id,
      'webhook delivery': deliveries[0].id,
      'notification channel': channel.id,
      'notification delivery': tested.id,
      'model provider': provider.id,
      view: view.id,
      dashboard: dashboard.id,
      evaluator: evaluator.id,
      'saved evaluator': savedEvaluator.id,
      price: price.id,
      'bulk job': job.id,
      key: key.id,
      invite: invite.id,
      'invite token': invite.token,
      member: member!.id,
      'blob token': presigned.split('/').at(-1)!,
    },
  }
}
