import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface ModelRequest {
  path: string
  headers: Record<string, unknown>
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever was sent
  body: any
}

export interface ModelAnswer {
  status?: number
  headers?: Record<string, string>
  /** An object is sent as JSON. */
  body: unknown
}

/** A local model provider with OpenAI's API and answers set by the test. */
export class FakeModel {
  readonly requests: ModelRequest[] = []
  #answer: (request: ModelRequest, earlier: number) => ModelAnswer = () => ({ status: 500, body: {} })
  readonly #server = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = []
    for await (const chunk of incoming) chunks.push(chunk)
    const body = JSON.parse(Buffer.concat(chunks).toString())
    const request = { path: incoming.url!, headers: incoming.headers, body }
    const { status = 200, headers, body: said } = this.#answer(request, this.requests.length)
    this.requests.push(request)
    outgoing.writeHead(status, { 'content-type': 'application/json', ...headers })
    outgoing.end(typeof said === 'string' ? said : JSON.stringify(said))
  })

  static async start(): Promise<FakeModel> {
    const model = new FakeModel()
    await new Promise<void>((resolve) => model.#server.listen(0, '127.0.0.1', resolve))
    return model
  }

  /** Base URL for clients. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/v1`
  }

  answer(answer: (request: ModelRequest, earlier: number) => ModelAnswer): void {
    this.#answer = answer
  }

  /** Answers every chat with this object as structured output. */
  answerWith(verdict: unknown): void {
    this.#answer = () => ({ body: chatAnswer(JSON.stringify(verdict)) })
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}

export const USAGE = {
  prompt_tokens: 20,
  completion_tokens: 10,
  total_tokens: 30,
  prompt_tokens_details: { cached_tokens: 5 },
  completion_tokens_details: { reasoning_tokens: 4 },
}

export function chatAnswer(content: string | null, more: object = {}) {
  const message = { role: 'assistant', content, refusal: null, ...more }
  return { id: 'c1', object: 'chat.completion', choices: [{ index: 0, message, finish_reason: 'stop' }], usage: USAGE }
}
