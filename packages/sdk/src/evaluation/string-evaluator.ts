import type { Example, KVMap, Run } from '../schemas.ts'

import type { EvaluationResult, RunEvaluator } from './types.ts'

export interface GradingFunctionParams {
  input: string
  prediction: string
  /** Absent without a reference; null when `answerKey` is null. */
  answer?: string | null | undefined
}

export interface GradingFunctionResult {
  /** @default the evaluation's name */
  key?: string | undefined
  score?: number | boolean | null | undefined
  value?: EvaluationResult['value']
  comment?: string | undefined
  correction?: KVMap | undefined
}

export interface StringEvaluatorParams {
  /** Feedback key of results without a key. */
  evaluationName?: string | undefined
  /** Member of the inputs. @default "input" */
  inputKey?: string | undefined
  /** Member of the run's outputs. @default "output" */
  predictionKey?: string | undefined
  /** Member of the reference outputs; null for grading without a reference. @default "output" */
  answerKey?: string | null | undefined
  gradingFunction: (params: GradingFunctionParams) => GradingFunctionResult | Promise<GradingFunctionResult>
}

/** Grades one text against another. The texts are selected from inputs, outputs and reference by key. */
export class StringEvaluator implements RunEvaluator {
  readonly evaluationName: string | undefined
  readonly inputKey: string
  readonly predictionKey: string
  readonly answerKey: string | null
  readonly gradingFunction: StringEvaluatorParams['gradingFunction']

  constructor(params: StringEvaluatorParams) {
    this.evaluationName = params.evaluationName
    this.inputKey = params.inputKey ?? 'input'
    this.predictionKey = params.predictionKey ?? 'output'
    this.answerKey = params.answerKey === undefined ? 'output' : params.answerKey
    this.gradingFunction = params.gradingFunction
  }

  async evaluateRun(run: Run, example?: Example): Promise<EvaluationResult> {
    if (!run.outputs) throw new Error('Run outputs cannot be undefined.')
    const grade = await this.gradingFunction({
      input: run.inputs[this.inputKey],
      prediction: run.outputs[this.predictionKey],
      answer: this.answerKey ? example?.outputs?.[this.answerKey] : null,
    })
    const key = grade.key || this.evaluationName
    if (!key) throw new Error('Evaluation name cannot be undefined.')
    const { score, value, comment, correction } = grade
    return { key, score, value, comment, correction }
  }
}
