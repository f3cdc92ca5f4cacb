import * as routes from '@touchstone/contract/routes'
import type { CallOptions, ClientConfig } from './config/client-config.ts'
import { resolveConnection } from './config/connection.ts'
import { assertUuid } from './ids/uuid.ts'
import { readable } from './resources/runs.ts'
import type { ApiRoute, Feedback, PublicRunQuery, PublicTraceTree, Run } from './schemas.ts'
import { offsetPages } from './transport/pages.ts'
import type { RawRequest } from './transport/request.ts'
import { Transport } from './transport/transport.ts'

/** As of `Client`, without credentials. */
export type PublicClientConfig = Omit<ClientConfig, 'apiKey' | 'workspaceId'>

/**
 * Reads a shared run and all runs below it through a share link. Requests carry neither an API key nor a workspace, even
 * if the environment has them.
 */
export class PublicClient {
  readonly #transport: Transport
  readonly #token: string

  /** @param token of the share link: the part of its address after `/public/` */
  constructor(token: string, config: PublicClientConfig = {}) {
    this.#token = token
    this.#transport = new Transport(() => ({
      ...resolveConnection(config),
      apiKey: undefined,
      workspaceId: undefined,
    }))
  }

  /**
   * A run with its inputs and outputs.
   *
   * @param runId a run below the shared one. @default the shared run
   */
  async readRun({ runId }: { runId?: string | undefined } = {}, options: CallOptions = {}): Promise<Run> {
    if (runId !== undefined) assertUuid(runId)
    const params = { share_token: this.#token }
    const request = { doing: 'read a shared run', ...options }
    const run =
      runId === undefined
        ? await this.#transport.call(routes.sharing.publicRun, { params, ...request })
        : await this.#transport.call(routes.sharing.publicRunById, { params: { ...params, run_id: runId }, ...request })
    return toRun(run)
  }

  /** The shared run and all runs below it, without inputs and outputs. */
  async readTraceTree(options: CallOptions = {}): Promise<PublicTraceTree> {
    return await this.#transport.call(routes.sharing.publicTraceRuns, {
      params: { share_token: this.#token },
      doing: 'read a shared trace',
      ...options,
    })
  }

  /** The shared run and all runs below it that match the conditions, oldest first. */
  async queryRuns(query: PublicRunQuery = {}, options: CallOptions = {}): Promise<Run[]> {
    const { runs } = await this.#transport.call(routes.sharing.publicRunQuery, {
      params: { share_token: this.#token },
      body: query,
      doing: 'query shared runs',
      ...options,
    })
    return runs.map(toRun)
  }

  /** Feedback on the shared run and all runs below it, newest first. */
  async *listFeedback(
    { runIds }: { runIds?: string[] | undefined } = {},
    options: CallOptions = {},
  ): AsyncGenerator<Feedback> {
    const request = {
      params: { share_token: this.#token },
      query: { run: runIds },
      doing: 'list shared feedback',
      ...options,
    }
    yield* offsetPages(this.#transport, routes.sharing.publicFeedback, request)
  }

  /** The response of a public route, as `ServerCalls.raw` returns it. The share token is filled in. */
  async raw(route: ApiRoute, request: RawRequest = {}): Promise<Response> {
    const params = { ...request.params, share_token: this.#token }
    return await this.#transport.raw(route, { ...request, params })
  }
}

/** Public runs lack the fields that reveal the workspace, such as the id of the project. */
const toRun = (run: Parameters<typeof readable>[0]): Run => readable(run) as Run
