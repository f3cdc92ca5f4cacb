import { quoteForShell } from '#lib/snippets.ts'

interface LabeledSnippet {
  readonly label: string
  readonly text: string
}

export interface CloneSource {
  /** Origin of the server that receives the copy. */
  readonly origin: string
  readonly source: { readonly token: string; readonly origin: string }
}

/** Programs that copy a public dataset into a workspace, for each client. */
export function cloneSnippets({ origin, source }: CloneSource): LabeledSnippet[] {
  const page = `${source.origin}/public/${source.token}/d`
  const api = `${source.origin}/api/v1`
  const environment = `export LANGSMITH_ENDPOINT=${quoteForShell(`${origin}/api/v1`)}\nexport LANGSMITH_API_KEY='<your API key>'`
  const shell = environment.replaceAll(/^/gm, '# ')
  return [
    {
      label: 'Python',
      text: `${shell}
from langsmith import Client

Client().clone_public_dataset("${page}", source_api_url="${api}")`,
    },
    {
      label: 'TypeScript (langsmith)',
      text: `${shell.replaceAll('# ', '// ')}
import { Client } from 'langsmith'

await new Client().clonePublicDataset('${page}', { sourceApiUrl: '${api}' })`,
    },
    {
      label: 'TypeScript (Touchstone)',
      text: `${shell.replaceAll('# ', '// ')}
import { Client } from '@touchstone/sdk'

await new Client().clonePublicDataset('${page}', { sourceApiUrl: '${api}' })`,
    },
  ]
}

/** Creates a dataset with one example, and runs an experiment over it. */
export const FIRST_DATASET: readonly LabeledSnippet[] = [
  {
    label: 'Python',
    text: `# pip install langsmith
from langsmith import Client

client = Client()
dataset = client.create_dataset("capitals")
client.create_examples(
    dataset_id=dataset.id,
    examples=[{"inputs": {"country": "France"}, "outputs": {"capital": "Paris"}}],
)

def correct(outputs: dict, reference_outputs: dict) -> bool:
    return outputs["capital"] == reference_outputs["capital"]

client.evaluate(lambda inputs: {"capital": "Paris"}, data="capitals", evaluators=[correct])`,
  },
  {
    label: 'TypeScript',
    text: `// npm install @touchstone/sdk
import { Client } from '@touchstone/sdk'
import { evaluate } from '@touchstone/sdk/evaluation'

const client = new Client()
const dataset = await client.createDataset('capitals')
await client.createExamples([
  { dataset_id: dataset.id, inputs: { country: 'France' }, outputs: { capital: 'Paris' } },
])

await evaluate(async () => ({ capital: 'Paris' }), {
  data: 'capitals',
  evaluators: [({ outputs, referenceOutputs }) => ({
    key: 'correct',
    score: outputs.capital === referenceOutputs?.capital,
  })],
})`,
  },
]
