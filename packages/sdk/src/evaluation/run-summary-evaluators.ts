import type { EvaluationResult } from '../resources/feedback.ts'
import { feedbackOf, type JudgingBench, nameOfEvaluator, resultsOf, traced } from './evaluator.ts'
import type { ExperimentResultRow, SummaryEvaluatorArgs, SummaryEvaluatorT } from './types.ts'

/** Has the whole experiment judged; what fails is told and skipped. */
export async function runSummaryEvaluators(
  evaluators: readonly SummaryEvaluatorT[],
  rows: readonly ExperimentResultRow[],
  bench: JudgingBench,
): Promise<EvaluationResult[]> {
  const args = argsOf(rows)
  const all: EvaluationResult[] = []
  for (const evaluator of evaluators) {
    const name = nameOfEvaluator(evaluator)
    try {
      all.push(...(await judgeAll(evaluator, name, args, bench)))
    } catch (error) {
      bench.onError(name, undefined, error)
    }
  }
  return all
}

async function judgeAll(evaluator: SummaryEvaluatorT, name: string, args: SummaryEvaluatorArgs, bench: JudgingBench) {
  // All runs and examples are stored already: their number is enough.
  const shown = { runs: `Runs[] (Length=${args.runs.length})`, examples: `Examples[] (Length=${args.examples.length})` }
  const { value, runId } = await traced(name, () => ask(evaluator, args), shown, {}, bench)
  const results = resultsOf(value, name)
  for (const result of results) {
    const feedback = { ...feedbackOf(result, name, runId, bench), projectId: bench.experiment.id }
    await bench.outgoing?.add(feedback, (error) => bench.onError(name, undefined, error))
  }
  return results
}

function ask(evaluator: SummaryEvaluatorT, args: SummaryEvaluatorArgs): unknown {
  const call = evaluator as (...args: unknown[]) => unknown
  return evaluator.length === 1 ? call(args) : call(args.runs, args.examples)
}

function argsOf(rows: readonly ExperimentResultRow[]): SummaryEvaluatorArgs {
  return {
    runs: rows.map(({ run }) => run),
    examples: rows.map(({ example }) => example),
    inputs: rows.map(({ example }) => example.inputs),
    outputs: rows.map(({ run }) => run.outputs ?? {}),
    referenceOutputs: rows.map(({ example }) => example.outputs ?? {}),
  }
}
