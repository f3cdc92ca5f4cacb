import { describe, expect, it } from 'vitest'
import { correct, lastExperiment, lookUp, on, serveCapitals, server } from '../../test/capitals.ts'
import { evaluate } from './evaluate.ts'
import type { EvaluatorArgs } from './types.ts'

serveCapitals()

describe('an experiment that was interrupted', () => {
  it('goes on where it stopped: finished runs are kept, missing verdicts are given', async () => {
    const stop = new AbortController()
    let judged = 0
    const first = evaluate(lookUp, {
      ...on({ numRepetitions: 2, experimentPrefix: 'long', signal: stop.signal }),
      evaluators: [
        function correct_(args: EvaluatorArgs) {
          if (++judged === 4) stop.abort(new Error('killed'))
          return correct(args)
        },
      ],
    })
    await expect(first).rejects.toThrow('killed')
    const { name } = lastExperiment()
    expect(server.runsOf(name)).toHaveLength(4)

    const ran: string[] = []
    const target = async (inputs: { country: string }) => {
      ran.push(inputs.country)
      return await lookUp(inputs)
    }
    const asked: string[] = []
    const results = await evaluate(
      target,
      on({
        data: undefined,
        experiment: name,
        resume: true,
        numRepetitions: 2,
        evaluators: [
          function correct_(args: EvaluatorArgs) {
            asked.push(`correct ${args.inputs.country}`)
            return correct(args)
          },
          function length({ inputs, outputs }: EvaluatorArgs) {
            asked.push(`length ${inputs.country}`)
            return { score: outputs.capital.length }
          },
        ],
      }),
    )

    expect(ran).toEqual(['Peru', 'Chad'])
    expect(asked).toEqual([
      'length France',
      'length Peru',
      'length Chad',
      'length France',
      'correct Peru',
      'length Peru',
      'correct Chad',
      'length Chad',
    ])
    expect(server.experiments.filter((one) => one.name === name)).toHaveLength(1)
    expect(server.runsOf(name)).toHaveLength(6)
    expect(
      results.results.map(({ evaluationResults }) => evaluationResults.results.map(({ key }) => key).sort()),
    ).toEqual(Array(6).fill(['correct', 'length']))
    expect(server.feedback).toHaveLength(12)
  })

  it('may also be added to, from the start', async () => {
    const before = server.given({ name: 'grown', extra: { metadata: { model: 'm1' } } })
    await evaluate(lookUp, on({ experiment: before as never, metadata: { more: true } }))
    await evaluate(lookUp, on({ experiment: before.id }))
    expect(server.runsOf('grown')).toHaveLength(6)
    expect(server.experiments).toHaveLength(1)
    expect(before.extra.metadata).toMatchObject({ model: 'm1', more: true, num_repetitions: 1 })
  })
})
