import * as routes from '@touchstone/contract/routes'
import type { CallOptions } from '../config/client-config.ts'
import { assertUuid, uuid7 } from '../ids/uuid.ts'
import type { Feedback, FeedbackConfig, FeedbackQuery, FeedbackSourceType, KVMap, Run, ScoreType } from '../schemas.ts'
import { type AgentAddress, formatAddress } from '../tracing/address.ts'
import { findFirstDestination } from '../tracing/destination.ts'
import { isSampled } from '../tracing/sampling.ts'
import { offsetPages } from '../transport/pages.ts'
import { Calls } from './calls.ts'
import { sendFeedbackTogether } from './send-feedback-together.ts'

export interface CreateFeedbackOptions {
  /** A number is rounded to 4 decimals; a boolean counts as 1 or 0. */
  score?: ScoreType | undefined
  /** Label of categorical feedback, or any other value. */
  value?: Feedback['value'] | undefined
  correction?: object | string | null | undefined
  comment?: string | null | undefined
  /** Kept as the source's metadata. */
  sourceInfo?: KVMap | undefined
  /** @default "api" */
  feedbackSourceType?: FeedbackSourceType | undefined
  /** Run of the evaluator that judged. */
  sourceRunId?: string | undefined
  /** @default a new UUID; the same id again replaces the record */
  feedbackId?: string | undefined
  /** Recorded as the key's config when the key has none yet. */
  feedbackConfig?: FeedbackConfig | undefined
  /** Gives the feedback on the project rather than a run. */
  projectId?: string | undefined
  /** With `projectId`, gives the feedback on this thread of the project. An extension of ours. */
  threadId?: string | undefined
  comparativeExperimentId?: string | undefined
  /** Project, start and trace of the run: hints, never needed. */
  sessionId?: string | undefined
  startTime?: number | string | undefined
  traceId?: string | undefined
  /** Names the run's project by an agent's environment, in place of `sessionId`. */
  address?: AgentAddress | undefined
  extendTraceRetention?: boolean | undefined
}

/** Exactly one of `runId` and `projectId`. */
export interface CreateFeedbackParams extends CreateFeedbackOptions {
  runId?: string | null | undefined
  key: string
}

/** Fields to change: null clears a field, an absent field stays as it is. */
export interface UpdateFeedbackParams {
  score?: ScoreType | undefined
  value?: Feedback['value'] | undefined
  correction?: object | string | null | undefined
  comment?: string | null | undefined
  /**
   * What the change is based on, field by field as it was read; a ConflictError when a field has another value by now. An
   * extension of ours.
   */
  expected?: Partial<Pick<Feedback, 'score' | 'value' | 'correction' | 'comment'>> | undefined
}

export interface ListFeedbackParams {
  runIds?: string[] | undefined
  feedbackKeys?: string[] | undefined
  feedbackSourceTypes?: FeedbackSourceType[] | undefined
}

/** One verdict of an evaluator. */
export interface EvaluationResult {
  key: string
  score?: ScoreType | undefined
  value?: Feedback['value'] | undefined
  comment?: string | undefined
  correction?: KVMap | undefined
  evaluatorInfo?: KVMap | undefined
  sourceRunId?: string | undefined
  /** The run that is judged, when it is not the one at hand. */
  targetRunId?: string | undefined
  feedbackConfig?: FeedbackConfig | undefined
}

export interface EvaluationResults {
  results: EvaluationResult[]
}

export interface LogEvaluationFeedbackParams {
  evaluatorResponse: EvaluationResult | EvaluationResult[] | EvaluationResults
  /** The run that was judged; without it the feedback is on the project. */
  run?: Run | undefined
  projectId?: string | undefined
  sourceInfo?: KVMap | undefined
}

export class FeedbackCalls extends Calls {
  /**
   * Gives feedback on a run, also on one that has not arrived yet, or on a project. Nothing is sent when the trace is not
   * among the sampled ones.
   *
   * @returns the record as it was sent, so without the server's times
   */
  async createFeedback(params: CreateFeedbackParams, callOptions?: CallOptions): Promise<Feedback>
  async createFeedback(
    runId: string | null,
    key: string,
    options?: CreateFeedbackOptions,
    callOptions?: CallOptions,
  ): Promise<Feedback>
  async createFeedback(
    runOrParams: string | null | CreateFeedbackParams,
    keyOrCallOptions?: string | CallOptions,
    options: CreateFeedbackOptions = {},
    callOptions: CallOptions = {},
  ): Promise<Feedback> {
    const isOneObject = typeof runOrParams === 'object' && runOrParams !== null
    const params = isOneObject ? runOrParams : { ...options, runId: runOrParams, key: keyOrCallOptions as string }
    const feedback = bodyOf(params)
    const traceId = params.traceId ?? params.runId ?? undefined
    if (isSampled(traceId, this.transport.connection.samplingRate)) {
      const more = isOneObject ? ((keyOrCallOptions as CallOptions | undefined) ?? {}) : callOptions
      await this.transport.send(routes.feedback.create, { body: feedback, doing: 'create feedback', ...more })
    }
    return feedback
  }

  /**
   * Gives many records at once, in few requests. An extension of ours; where a server takes no feedback that way, they
   * are given one by one.
   *
   * @returns what went wrong with each, in order; `undefined` for what was stored, or is of a trace that is not sampled
   */
  async createFeedbackBatch(
    feedback: readonly CreateFeedbackParams[],
    options: CallOptions = {},
  ): Promise<(Error | undefined)[]> {
    const prepared = feedback.map(tryBodyOf)
    const { samplingRate } = this.transport.connection
    const records = prepared.flatMap((body) =>
      'id' in body && isSampled(body.trace_id ?? body.run_id ?? undefined, samplingRate) ? [body] : [],
    )
    const outcomes = await sendFeedbackTogether(this.transport, records, options)
    const failed = new Map(records.map(({ id }, at) => [id, outcomes[at]]))
    return prepared.map((body) => ('id' in body ? failed.get(body.id) : body.error))
  }

  async updateFeedback(feedbackId: string, update: UpdateFeedbackParams, options: CallOptions = {}): Promise<void> {
    assertUuid(feedbackId)
    const { score, value, correction, comment, expected } = update
    await this.transport.send(routes.feedback.update, {
      params: { feedback_id: feedbackId },
      body: {
        score: rounded(score),
        value,
        correction,
        comment,
        expected,
      },
      doing: `update feedback ${feedbackId}`,
      ...options,
    })
  }

  /** @throws NotFoundError when there is no such feedback */
  async readFeedback(feedbackId: string, options: CallOptions = {}): Promise<Feedback> {
    assertUuid(feedbackId)

    return await this.transport.call(routes.feedback.read, {
      params: { feedback_id: feedbackId },
      doing: `read feedback ${feedbackId}`,
      ...options,
    })
  }

  async deleteFeedback(feedbackId: string, options: CallOptions = {}): Promise<void> {
    assertUuid(feedbackId)

    await this.transport.send(routes.feedback.delete, {
      params: { feedback_id: feedbackId },
      doing: `delete feedback ${feedbackId}`,
      ...options,
    })
  }

  /** All feedback that fits, newest first, fetched a page at a time; without conditions, that of the workspace. */
  async *listFeedback(params: ListFeedbackParams = {}, options: CallOptions = {}): AsyncGenerator<Feedback> {
    const { runIds, feedbackKeys, feedbackSourceTypes } = params
    for (const [index, id] of (runIds ?? []).entries()) assertUuid(id, `runIds[${index}]`)
    const query = { run: runIds, key: feedbackKeys, source: feedbackSourceTypes }
    const request = { query, doing: 'list feedback', ...options }
    yield* offsetPages(this.transport, routes.feedback.list, request)
  }

  /** One page of `GET /feedback`, with every query parameter of the endpoint. An extension of ours. */
  async queryFeedback(query: FeedbackQuery = {}, options: CallOptions = {}): Promise<Feedback[]> {
    const request = { query: { ...query }, doing: 'list feedback', ...options }
    return await this.transport.call(routes.feedback.list, request)
  }

  /**
   * Gives the results of an evaluator as feedback, one after the other.
   *
   * @returns the results, as a list
   */
  async logEvaluationFeedback(params: LogEvaluationFeedbackParams, options?: CallOptions): Promise<EvaluationResult[]>
  /** @deprecated pass one object */
  async logEvaluationFeedback(
    evaluatorResponse: LogEvaluationFeedbackParams['evaluatorResponse'],
    run?: Run,
    sourceInfo?: KVMap,
    projectId?: string,
  ): Promise<EvaluationResult[]>
  async logEvaluationFeedback(
    given: LogEvaluationFeedbackParams | LogEvaluationFeedbackParams['evaluatorResponse'],
    runOrOptions?: Run | CallOptions,
    sourceInfo?: KVMap,
    projectId?: string,
  ): Promise<EvaluationResult[]> {
    const isOneObject = 'evaluatorResponse' in given
    const run = isOneObject ? undefined : (runOrOptions as Run | undefined)
    const options = isOneObject ? (runOrOptions as CallOptions | undefined) : undefined
    const params = isOneObject ? given : { evaluatorResponse: given, run, sourceInfo, projectId }
    const results = resultsOf(params.evaluatorResponse)
    for (const result of results) await this.createFeedback(verdictOf(result, params), options)
    return results
  }
}

function resultsOf(response: LogEvaluationFeedbackParams['evaluatorResponse']): EvaluationResult[] {
  if ('results' in response) return response.results
  return Array.isArray(response) ? response : [response]
}

function verdictOf(result: EvaluationResult, { run, projectId, sourceInfo }: LogEvaluationFeedbackParams) {
  const { evaluatorInfo, targetRunId, ...verdict } = result
  const runId = targetRunId ?? run?.id
  const isOfRun = runId !== undefined && runId === run?.id
  return {
    ...verdict,
    runId,
    projectId: runId === undefined ? projectId : undefined,
    sessionId: run?.session_id ?? projectId,
    // Another run than the one at hand has times and a trace of its own.
    startTime: isOfRun ? run?.start_time : undefined,
    traceId: isOfRun ? run?.trace_id : undefined,
    sourceInfo: { ...evaluatorInfo, ...sourceInfo },
    feedbackSourceType: 'model',
  } satisfies CreateFeedbackParams
}

/** The record to send. @throws Error when it names neither or both of run and project, or a project and an address */
function bodyOf(params: CreateFeedbackParams) {
  const { runId, projectId, key, sourceRunId } = params
  if (!runId && !projectId) throw new Error('One of runId or projectId must be provided')
  if (runId && projectId) throw new Error('Only one of runId or projectId can be provided')
  if (params.threadId !== undefined && !projectId) throw new Error('A threadId needs the projectId of the thread')
  if (runId) assertUuid(runId, 'runId')
  if (projectId) assertUuid(projectId, 'projectId')
  if (params.feedbackId !== undefined) assertUuid(params.feedbackId, 'feedbackId')
  const home = findFirstDestination({ project_name: params.sessionId ?? projectId, address: params.address })
  const metadata: KVMap = { ...params.sourceInfo }
  if (sourceRunId !== undefined && !metadata.__run) metadata.__run = { run_id: sourceRunId }
  if (metadata.__run?.run_id !== undefined) assertUuid(metadata.__run.run_id, 'sourceRunId')
  return {
    id: params.feedbackId ?? uuid7(),
    run_id: runId ?? null,
    trace_id: params.traceId,
    key,
    score: rounded(params.score),
    value: params.value,
    correction: params.correction,
    comment: params.comment,
    feedback_source: { type: params.feedbackSourceType ?? 'api', metadata },
    comparative_experiment_id: params.comparativeExperimentId,
    feedback_thread_id: params.threadId,
    feedbackConfig: params.feedbackConfig,
    session_id: params.sessionId ?? projectId,
    address: home?.address && formatAddress(home.address),
    start_time: params.startTime,
    extend_trace_retention: params.extendTraceRetention,
  }
}

/** One bad record must not keep back the others. */
function tryBodyOf(params: CreateFeedbackParams): ReturnType<typeof bodyOf> | { error: Error } {
  try {
    return bodyOf(params)
  } catch (error) {
    return { error: error as Error }
  }
}

function rounded(score: ScoreType | undefined): ScoreType | undefined {
  return typeof score === 'number' ? Number(score.toFixed(4)) : score
}
