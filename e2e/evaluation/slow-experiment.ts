import { Client } from '@touchstone/sdk'
import { evaluate } from '@touchstone/sdk/evaluation'

// A program that is killed while its experiment runs. Arguments: server, dataset and prefix.
const [apiUrl, data, experimentPrefix] = process.argv.slice(2) as [string, string, string]

await evaluate(
  async ({ n }: { n: number }) => {
    await new Promise((resolve) => setTimeout(resolve, 20))
    process.stdout.write(`${n}\n`)
    return { double: n * 2 }
  },
  {
    data,
    experimentPrefix,
    client: new Client({ apiUrl, apiKey: 'any', batchMaxAgeMs: 20 }),
    maxConcurrency: 2,
    progress: false,
    evaluators: [
      function right({ outputs, referenceOutputs }) {
        return { score: outputs.double === referenceOutputs.double }
      },
    ],
  },
)
