import * as routes from '@touchstone/contract/routes'
import type { ClientConfig } from '../config/client-config.ts'
import { resolveConnection } from '../config/connection.ts'
import { reportProblem } from '../logger.ts'
import type { AgentAddress } from '../tracing/address.ts'
import { gzip } from '../tracing/batching/request-body.ts'
import { findFirstDestination, type RunDestination, readEnvDestination } from '../tracing/destination.ts'
import { resolveRedaction } from '../tracing/redact.ts'
import { isSampled } from '../tracing/sampling.ts'
import { encodeText } from '../tracing/text-bytes.ts'
import { Transport } from '../transport/transport.ts'
import { encodeSpans } from './encode-spans.ts'
import { redactSpan } from './redact-span.ts'
import { type ReadableSpan, readTraceId } from './span.ts'

/** The options of a client that are used here, and where spans go. */
export interface LangSmithOTLPTraceExporterConfig
  extends Pick<
    ClientConfig,
    | 'apiUrl'
    | 'apiKey'
    | 'workspaceId'
    | 'headers'
    | 'fetchImplementation'
    | 'callerOptions'
    | 'timeout_ms'
    | 'logger'
    | 'tracingSamplingRate'
    | 'hideInputs'
    | 'hideOutputs'
    | 'hideMetadata'
    | 'anonymizer'
  > {
  /** @default the agent or the project of the environment, else `default` */
  projectName?: string | undefined
  /** The agent environment to send spans to, instead of a project. */
  address?: AgentAddress | undefined
  /** Changes a span before it is sent. It gets the span of OpenTelemetry. */
  // biome-ignore lint/suspicious/noExplicitAny: the spans of every version of OpenTelemetry
  transformExportedSpan?: ((span: any) => any) | undefined
}

/** What OpenTelemetry calls when an export is done: 0 is success, 1 a failure. */
export type ExportCallback = (result: { code: number; error?: Error }) => void

/** More than this is sent in two requests. */
const MAX_BYTES = 16 * 1024 * 1024

/** Agents of runs that spans are part of. They have no attribute. */
export const SPAN_ADDRESSES = new WeakMap<object, AgentAddress>()

/**
 * Sends spans of OpenTelemetry to the server, with the endpoint, key, project, sampling and hide rules of this package's
 * settings. Failures are logged; they never reach the program.
 *
 * @example new BatchSpanProcessor(new LangSmithOTLPTraceExporter())
 */
export class LangSmithOTLPTraceExporter {
  readonly #config: LangSmithOTLPTraceExporterConfig
  readonly #transport: Transport
  readonly #pending = new Set<Promise<void>>()
  #isShutDown = false

  /** @throws Error when it names a project and an address */
  constructor(config: LangSmithOTLPTraceExporterConfig = {}) {
    findFirstDestination({ project_name: config.projectName, address: config.address })
    this.#config = config
    this.#transport = new Transport(() => resolveConnection(config))
  }

  // biome-ignore lint/suspicious/noExplicitAny: the spans of every version of OpenTelemetry
  export(spans: any[], done: ExportCallback): void {
    if (this.#isShutDown) {
      done({ code: 1, error: new Error('The exporter is shut down.') })
      return
    }
    const work = this.#send(spans as ReadableSpan[]).then(
      () => done({ code: 0 }),
      (error: unknown) => {
        this.reportProblem(`Could not send ${spans.length} spans: ${error}`)
        done({ code: 1, error: error instanceof Error ? error : new Error(String(error)) })
      },
    )
    this.#pending.add(work)
    void work.finally(() => this.#pending.delete(work))
  }

  /** Waits for the exports that are under way. */
  async forceFlush(): Promise<void> {
    await Promise.all(this.#pending)
  }

  async shutdown(): Promise<void> {
    this.#isShutDown = true
    await this.forceFlush()
  }

  /**
   * The project or the agent that spans go to.
   *
   * @throws EnvAddressError when only the environment names it, and contradicts itself
   */
  readDestination(): RunDestination {
    const { projectName, address } = this.#config
    return findFirstDestination({ project_name: projectName, address }) ?? readEnvDestination()
  }

  reportProblem(message: string): void {
    reportProblem(
      { reportProblem: (text: string) => this.#transport.connection.logger.warn(`[touchstone] ${text}`) },
      message,
    )
  }

  async #send(spans: readonly ReadableSpan[]): Promise<void> {
    const rate = this.#transport.connection.samplingRate
    const { transformExportedSpan } = this.#config
    const rules = resolveRedaction(this.#config)
    const groups = new Map<string, { readonly address: AgentAddress | undefined; readonly spans: ReadableSpan[] }>()
    for (const span of spans) {
      if (!isSampled(readTraceId(span), rate)) continue
      const address = SPAN_ADDRESSES.get(span)
      const key = JSON.stringify(address ?? null)
      const group = groups.get(key) ?? { address, spans: [] }
      groups.set(key, group)
      const changed = transformExportedSpan ? ((await transformExportedSpan(span)) as ReadableSpan) : span
      group.spans.push(await redactSpan(changed, rules))
    }
    for (const group of groups.values()) await this.#post(group.spans, group.address)
  }

  async #post(spans: readonly ReadableSpan[], address: AgentAddress | undefined): Promise<void> {
    const bytes = encodeText(JSON.stringify(encodeSpans(spans)))
    if (bytes.length > MAX_BYTES && spans.length > 1) {
      const middle = Math.ceil(spans.length / 2)
      await this.#post(spans.slice(0, middle), address)
      return await this.#post(spans.slice(middle), address)
    }
    const zipped = await gzip(bytes)
    const { text } = await this.#transport.send(routes.openTelemetry.traces, {
      bytes: zipped ?? bytes,
      headers: {
        'content-type': 'application/json',
        ...(zipped && { 'content-encoding': 'gzip' }),
        ...this.#toHeaders(address),
      },
      doing: `export ${spans.length} spans`,
    })
    const problem = readPartialSuccess(text)
    if (problem !== undefined) this.reportProblem(problem)
  }

  #toHeaders(own: AgentAddress | undefined): Record<string, string> {
    const destination = own === undefined ? this.readDestination() : { address: own }
    if (destination.address === undefined) return { 'Langsmith-Project': destination.project_name ?? 'default' }
    const { id, environment } = destination.address
    return { 'Langsmith-Agent-Id': id, 'Langsmith-Agent-Environment': environment.toLowerCase() }
  }
}

/** Some spans were rejected, or there is a warning. */
function readPartialSuccess(text: string): string | undefined {
  try {
    const { partialSuccess } = JSON.parse(text) as {
      partialSuccess?: { rejectedSpans?: number | string; errorMessage?: string }
    }
    const { rejectedSpans = 0, errorMessage = '' } = partialSuccess ?? {}
    return Number(rejectedSpans) > 0 || errorMessage !== ''
      ? `The server rejected ${rejectedSpans} spans: ${errorMessage}`
      : undefined
  } catch {
    return undefined
  }
}
