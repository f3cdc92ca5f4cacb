import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A local model provider with OpenAI's API: it approves every output and returns equal embeddings for all texts. */
export interface JudgingModel {
  /** Base URL for clients, ending in `/v1`. */
  readonly url: string
  close(): Promise<void>
}

const VERDICT = JSON.stringify({ reasoning: 'They say the same.', score: true })
const CHAT = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: VERDICT, refusal: null }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 20, completion_tokens: 10, total_tokens: 30 },
}
const EMBEDDINGS = {
  object: 'list',
  data: [
    { object: 'embedding', index: 0, embedding: [1, 0] },
    { object: 'embedding', index: 1, embedding: [3, 4] },
  ],
  usage: { prompt_tokens: 4, total_tokens: 4 },
}

export async function startJudgingModel(): Promise<JudgingModel> {
  const server = createServer((request, answer) => {
    request.resume()
    request.once('end', () => {
      answer.writeHead(200, { 'content-type': 'application/json' })
      answer.end(JSON.stringify(request.url === '/v1/embeddings' ? EMBEDDINGS : CHAT))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
