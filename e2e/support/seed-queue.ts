import { randomUUID } from 'node:crypto'

/** The API of a test server, as one person or key. */
export interface QueueApi {
  url: string
  key?: string | undefined
}

/** Sends a JSON request and returns the answer. */
export async function callApi<Answer>(
  { url, key }: QueueApi,
  method: string,
  path: string,
  body?: object,
): Promise<Answer> {
  const answer = await fetch(`${url}/api/v1${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...(key !== undefined && { 'x-api-key': key }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${await answer.text()}`)
  return (await answer.json()) as Answer
}

/** Finished chat runs, oldest first; the n-th asks `question n`. @returns their ids */
export async function seedChats(
  api: QueueApi,
  project: string,
  count: number,
  threadId?: string,
  exampleId?: string,
): Promise<string[]> {
  const startMs = Date.now() - count * 1_000
  const post = Array.from({ length: count }, (_, at) => {
    const id = randomUUID()
    const start_time = new Date(startMs + at * 1_000).toISOString()
    return {
      ...{ id, trace_id: id, dotted_order: start_time.replaceAll(/[-:.]/g, '').replace('Z', '000Z') + id },
      ...{ name: 'support_agent', run_type: 'llm', session_name: project, start_time },
      end_time: new Date(startMs + at * 1_000 + 400).toISOString(),
      inputs: { messages: [{ role: 'user', content: `question ${at}` }] },
      outputs: { messages: [{ role: 'assistant', content: `answer ${at}` }] },
      ...(exampleId !== undefined && { reference_example_id: exampleId }),
      extra: { metadata: threadId === undefined ? {} : { thread_id: threadId } },
    }
  })
  await callApi(api, 'POST', '/runs/batch', { post })
  return post.map(({ id }) => id)
}

/** A queue with runs in it. @returns its id */
export async function seedQueue(api: QueueApi, queue: object, runIds: readonly string[]): Promise<string> {
  const { id } = await callApi<{ id: string }>(api, 'POST', '/annotation-queues', queue)
  if (runIds.length > 0) await callApi(api, 'POST', `/annotation-queues/${id}/runs`, [...runIds])
  return id
}

/** The rubric of the journeys: a required choice, a number, and a text. */
export const RUBRIC = {
  rubric_instructions: 'Check the **facts** first.',
  rubric_items: [
    {
      feedback_key: 'correct',
      description: 'Is it right?',
      score_descriptions: { 0: 'wrong', 1: 'right' },
      is_required: true,
    },
    { feedback_key: 'tone', description: 'From rude to kind' },
    { feedback_key: 'ticket', regex_validator: '^T-\\d+$' },
  ],
}
