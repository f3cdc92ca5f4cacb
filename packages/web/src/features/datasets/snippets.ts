import { type LabeledSnippet, quoteForShell } from '#lib/snippets.ts'

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
      label: 'TypeScript',
      text: `${shell.replaceAll('# ', '// ')}
import { Client } from 'langsmith'

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
    text: `// npm install langsmith
// Save as capitals.mts and run: npx tsx capitals.mts
import { Client } from 'langsmith'
import { evaluate } from 'langsmith/evaluation'

const client = new Client()
const dataset = await client.createDataset('capitals')
await client.createExamples([
  { dataset_id: dataset.id, inputs: { country: 'France' }, outputs: { capital: 'Paris' } },
])

type Fields = Record<string, unknown>

function correct({ outputs, referenceOutputs }: { outputs: Fields; referenceOutputs?: Fields }) {
  return { key: 'correct', score: outputs.capital === referenceOutputs?.capital }
}

await evaluate(async () => ({ capital: 'Paris' }), { data: 'capitals', evaluators: [correct] })`,
  },
]
