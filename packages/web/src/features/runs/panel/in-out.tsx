import { asRecord, asText } from '@touchstone/formats/guards'
import { findRemainder } from '@touchstone/formats/messages'
import { Download } from 'lucide-react'
import { useMemo } from 'react'
import { DocumentsView } from '#features/payloads/documents/documents-view.tsx'
import { findDocumentsField, readDocuments } from '#features/payloads/documents/read-documents.ts'
import { JsonView } from '#features/payloads/json/json-view.tsx'
import type { RunDocument } from '#features/traces/queries.ts'
import { saveFile } from '#lib/browser.ts'
import { createChoicesByKey, isBoolean } from '#lib/preferences.ts'
import { IconButton } from '#ui/button.tsx'
import { usePreference } from '#ui/hooks.tsx'
import { EmptyState } from '#ui/states.tsx'
import { PayloadRest } from './payload-rest.tsx'
import { selectRoots, toMemoryKey } from './run-document.ts'

interface InOutProps {
  document: RunDocument
  path: string | undefined
  onPath: (path: string) => void
  onRendered?: () => void
}

/** Whether documents are shown as JSON, per project. */
const jsonChoices = createChoicesByKey('documents-as-json-in', isBoolean)

/** A text in one of these is the query of a retriever. */
const QUERY_FIELDS = ['query', 'question', 'input']

/** Inputs and outputs: retriever results as a ranked list, everything else as JSON. */
export function InOut(props: InOutProps) {
  const { document, path } = props
  const [allJson] = usePreference(jsonChoices)
  const place = toMemoryKey(document, 'documents') ?? 'shared'
  const isJson = allJson[place] ?? false
  const setJson = (json: boolean) => jsonChoices.choose(place, json)
  const documents = useMemo(() => readDocuments(document.payload?.outputs), [document.payload])
  // A link to a value needs the JSON view.
  if (documents === undefined || path !== undefined) return <Values {...props} />
  if (isJson) return <Values {...props} onRendered={() => setJson(false)} />
  const { inputs, outputs } = document.payload ?? {}
  const asked = QUERY_FIELDS.find((name) => asText(asRecord(inputs)?.[name]) !== undefined)
  const list = findDocumentsField(outputs)
  return (
    <div>
      <div className="flex h-8 items-center justify-end border-b border-border px-3">
        <button
          type="button"
          onClick={() => setJson(true)}
          className="text-meta text-fg-muted hover:text-fg hover:underline"
        >
          Show as JSON
        </button>
      </div>
      <div className="flex flex-col gap-2 p-3">
        <PayloadRest
          document={document}
          side="inputs"
          rest={findRemainder(inputs, asked === undefined ? undefined : [asked])}
          isOpen
        />
        <DocumentsView query={asText(asRecord(inputs)?.[asked ?? ''])} documents={documents} />
        <PayloadRest document={document} side="outputs" rest={findRemainder(outputs, list ? [list] : [])} isOpen />
      </div>
    </div>
  )
}

function Values({ document, path, onPath, onRendered }: InOutProps) {
  const roots = useMemo(() => selectRoots(document.json, ['inputs', 'outputs', 'error']), [document.json])
  if (roots.length === 0) {
    const { inputs, outputs } = document.run.derived_payloads ?? {}
    if (inputs || outputs) return null
    return <EmptyState title="No inputs or outputs">This run recorded neither.</EmptyState>
  }
  return (
    <JsonView
      host={document.json}
      label="inputs and outputs"
      foldKey={toMemoryKey(document, 'io')}
      roots={roots}
      path={path}
      onPath={onPath}
      tools={
        onRendered && (
          <button
            type="button"
            onClick={onRendered}
            className="whitespace-nowrap text-meta text-fg-muted hover:text-fg hover:underline"
          >
            Show formatted
          </button>
        )
      }
    />
  )
}

export function DownloadRun({ document: { run, json } }: { document: RunDocument }) {
  async function download() {
    const text = await json.call('text', 0, json.bytes)
    saveFile(`run-${run.id}.json`, 'application/json', [text])
  }
  return <IconButton icon={Download} label="Download JSON" onClick={() => void download()} />
}
