export interface ExportedPart {
  readonly dataset: string
  readonly asOf: string | undefined
  readonly split: string | undefined
}

/** Programs that read the same examples. */
export function printExportSnippets({ dataset, asOf, split }: ExportedPart) {
  const text = JSON.stringify
  const python = [
    'from langsmith import Client',
    '',
    'client = Client()',
    'examples = client.list_examples(',
    `    dataset_name=${text(dataset)},`,
    ...(asOf === undefined ? [] : [`    as_of=${text(asOf)},`]),
    ...(split === undefined ? [] : [`    splits=[${text(split)}],`]),
    ')',
    'for example in examples:',
    '    print(example.inputs, example.outputs)',
  ]
  const parts = [
    `datasetName: ${text(dataset)}`,
    ...(asOf === undefined ? [] : [`asOf: ${text(asOf)}`]),
    ...(split === undefined ? [] : [`splits: [${text(split)}]`]),
  ]
  const typescript = [
    "import { Client } from '@touchstone/sdk'",
    '',
    'const client = new Client()',
    `for await (const example of client.listExamples({ ${parts.join(', ')} })) {`,
    '  console.log(example.inputs, example.outputs)',
    '}',
  ]
  return [
    { label: 'Python', text: python.join('\n') },
    { label: 'TypeScript', text: typescript.join('\n') },
  ]
}
