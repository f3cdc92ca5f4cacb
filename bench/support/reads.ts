/** Sends one request and returns the size of the response in bytes. */
export type Read = () => Promise<number>

/** Interactive reads over the runs of `seeded-store.ts` in a server. */
export async function readsOf(url: string): Promise<Record<string, Read>> {
  const [{ id: project }] = await call(url, 'GET', '/sessions?name=bench')
  const size = async (method: string, path: string, body?: object) => (await send(url, method, path, body)).length
  const light = [
    'name',
    'start_time',
    'end_time',
    'inputs_preview',
    'outputs_preview',
    'total_tokens',
    'total_cost',
    'error',
  ]
  const query =
    (body: object): Read =>
    () =>
      size('POST', '/runs/query', { session: [project], limit: 50, ...body })
  const filter = (text: string) => query({ filter: text, select: light })
  const sample = await call(url, 'POST', '/runs/query', {
    session: [project],
    is_root: true,
    limit: 100,
    select: ['id'],
  })
  const ids: string[] = sample.runs.map((run: { id: string }) => run.id)
  const anyId = () => ids[Math.floor(Math.random() * ids.length)]!
  const day = (ago: number) => new Date(Date.now() - ago * 864e5).toISOString()
  return {
    'run by id': () => size('GET', `/runs/${anyId()}`),
    'trace of 10 runs, payloads': () => size('POST', '/runs/query', { trace: anyId() }),
    'trace of 10 runs, run tree': () => size('GET', `/traces/${anyId()}/runs`),
    'newest 50 roots, light': query({ is_root: true, select: light }),
    'newest 50 runs, light': query({ select: light }),
    'newest 50 runs, payloads': query({}),
    'slowest 50 roots': query({ is_root: true, sort_by: 'latency', select: light }),
    'slowest 50 runs': query({ sort_by: 'latency', select: light }),
    'slowest 50 runs of a week': query({ sort_by: 'latency', start_time: day(7), select: light }),
    'slowest 50 llm runs of a model': query({
      sort_by: 'latency',
      filter: 'and(eq(run_type, "llm"), eq(model, "gpt-4.1"))',
      select: light,
    }),
    'first token, 50 runs': query({ sort_by: 'first_token', select: light }),
    'most tokens, 50 roots': query({ is_root: true, sort_by: 'total_tokens', select: light }),
    'most tokens, 50 roots of a week': query({
      is_root: true,
      sort_by: 'total_tokens',
      start_time: day(7),
      select: light,
    }),
    'most tokens, 50 runs': query({ sort_by: 'total_tokens', select: light }),
    'highest cost, 50 roots': query({ is_root: true, sort_by: 'total_cost', select: light }),
    'highest cost, 50 roots with an error': query({
      is_root: true,
      sort_by: 'total_cost',
      tree_filter: 'eq(status, "error")',
      select: light,
    }),
    'errors, newest 50': query({ error: true, select: light }),
    'llm runs of one day': query({ run_type: 'llm', start_time: day(11), end_time: day(10), select: light }),
    'metadata pair': filter('and(eq(metadata_key, "user"), eq(metadata_value, "u77"))'),
    'metadata pair, thread of 50': filter('eq(metadata.thread_id, "t77")'),
    'slow llm calls': filter('and(eq(run_type, "llm"), gt(latency, "9s"))'),
    'words, rare': filter('search("rare4711")'),
    'words, common': filter('search("w3 w12")'),
    'input value': filter('and(eq(input_key, "messages.role"), like(input_value, "%user%"), search("rare4711"))'),
    'feedback score': filter('and(eq(feedback_key, "correctness"), lt(feedback_score, 0.1))'),
    'traces with an error, by tree_filter': query({ is_root: true, tree_filter: 'eq(status, "error")', select: light }),
    'traces over 3,000 tokens': filter('and(eq(is_root, true), gt(total_tokens, 1500))'),
    'statistics of a filter': () => size('POST', '/runs/stats', { session: [project], filter: 'eq(run_type, "llm")' }),
    'a month by model, daily': () =>
      size('POST', '/runs/series', {
        session: [project],
        start_time: day(30),
        end_time: day(0),
        group_by: { attribute: 'model' },
        filter: 'eq(run_type, "llm")',
      }),
    'threads of a day': () =>
      size('POST', '/api/v2/threads/query', { project_id: project, min_start_time: day(1), page_size: 20 }),
    'threads of a month': () =>
      size('POST', '/api/v2/threads/query', { project_id: project, min_start_time: day(30), page_size: 20 }),
    'project with statistics': () => size('GET', `/sessions/${project}?include_stats=true`),
    'projects with statistics': () => size('GET', '/sessions?include_stats=true'),
  }
}

async function send(url: string, method: string, path: string, body?: object): Promise<string> {
  const answer = await fetch(url + path, {
    method,
    ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
  })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 300)}`)
  return text
}

// biome-ignore lint/suspicious/noExplicitAny: a bench reads a few fields of answers whose shapes the tests hold
async function call(url: string, method: string, path: string, body?: object): Promise<any> {
  return JSON.parse(await send(url, method, path, body))
}
