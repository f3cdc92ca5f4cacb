import type { Step } from './build-trace.ts'
import type { Chance } from './random.ts'

/** A batch job that reads many documents in parallel: hundreds of runs in one trace. */
export function reviewContracts(chance: Chance, documents: number): Step {
  return {
    name: 'review_contracts',
    run_type: 'chain',
    inputs: { bucket: 'contracts-2025', documents },
    outputs: { reviewed: documents, flagged: Math.round(documents / 9) },
    ms: 120,
    tags: ['batch', 'nightly'],
    metadata: { environment: 'production' },
    parallel: true,
    children: Array.from({ length: documents }, (_, at) => reviewOne(at, chance)),
  }
}

function reviewOne(at: number, chance: Chance): Step {
  const clauses = chance.whole(2, 5)
  return {
    name: `review_contract_${String(at + 1).padStart(3, '0')}`,
    run_type: 'chain',
    inputs: { path: `contracts-2025/${at + 1}.pdf` },
    outputs: { risk: chance.oneOf(['low', 'low', 'medium', 'high']) },
    ms: chance.between(5, 30),
    children: [
      {
        name: 'read_pdf',
        run_type: 'tool',
        inputs: { pages: chance.whole(2, 40) },
        outputs: { characters: chance.whole(4_000, 90_000) },
        ms: chance.between(80, 600),
      },
      ...Array.from({ length: clauses }, (_, clause) => judgeClause(clause, chance)),
    ],
  }
}

function judgeClause(clause: number, chance: Chance): Step {
  const input = chance.whole(400, 1600)
  return {
    name: 'judge_clause',
    run_type: 'llm',
    inputs: {
      messages: [
        { role: 'system', content: 'Name the risk of this clause in one word and quote what decides it.' },
        {
          role: 'user',
          content: `§ ${clause + 1} The supplier may change prices with ${chance.whole(7, 90)} days of notice.`,
        },
      ],
    },
    outputs: {
      choices: [{ message: { role: 'assistant', content: 'Medium: “may change prices”.' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: input, completion_tokens: 14, total_tokens: input + 14 },
    },
    ms: chance.between(300, 1400),
    metadata: { ls_provider: 'openai', ls_model_name: 'gpt-4o-mini', ls_model_type: 'chat' },
  }
}
