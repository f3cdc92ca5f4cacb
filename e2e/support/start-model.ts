import { createServer, type ServerResponse } from 'node:http'

/** A local model provider with the OpenAI chat API and a constant answer. */
export interface Model {
  /** Base URL for clients, ending in `/v1`. */
  readonly url: string
  close(): Promise<void>
}

export const MODEL_ANSWER = ['Gold ', 'ist ', 'echt ', '✓']
export const MODEL_USAGE = {
  prompt_tokens: 20,
  completion_tokens: 10,
  total_tokens: 30,
  prompt_tokens_details: { cached_tokens: 5 },
  completion_tokens_details: { reasoning_tokens: 4 },
}

/** Starts the provider. A request whose last message is `fail` gets status 400. */
export async function startModel(): Promise<Model> {
  const server = createServer(async (incoming, answer) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk)
    const { stream, messages } = JSON.parse(Buffer.concat(chunks).toString()) as {
      stream?: boolean
      messages: { content: unknown }[]
    }
    if (messages.at(-1)?.content === 'fail') return refuse(answer)
    return stream ? answerInPieces(answer) : answerAtOnce(answer)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return {
    url: `http://127.0.0.1:${port}/v1`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const head = { id: 'chatcmpl-1', created: 1_752_122_539, model: 'gpt-4.1-mini', system_fingerprint: 'fp_1' }

function answerAtOnce(answer: ServerResponse) {
  const message = { role: 'assistant', content: MODEL_ANSWER.join(''), refusal: null }
  const choices = [{ index: 0, message, logprobs: null, finish_reason: 'stop' }]
  answer.writeHead(200, { 'content-type': 'application/json' })
  answer.end(JSON.stringify({ ...head, object: 'chat.completion', choices, usage: MODEL_USAGE }))
}

function answerInPieces(answer: ServerResponse) {
  answer.writeHead(200, { 'content-type': 'text/event-stream' })
  const say = (piece: object) =>
    answer.write(`data: ${JSON.stringify({ ...head, object: 'chat.completion.chunk', ...piece })}\n\n`)
  const choice = (delta: object, finish_reason: string | null = null) => ({
    choices: [{ index: 0, delta, finish_reason }],
  })
  say(choice({ role: 'assistant', content: '' }))
  for (const content of MODEL_ANSWER) say(choice({ content }))
  say(choice({}, 'stop'))
  say({ choices: [], usage: MODEL_USAGE })
  answer.end('data: [DONE]\n\n')
}

function refuse(answer: ServerResponse) {
  answer.writeHead(400, { 'content-type': 'application/json' })
  answer.end(
    JSON.stringify({ error: { message: 'the model refuses', type: 'invalid_request_error', code: 'refused' } }),
  )
}
