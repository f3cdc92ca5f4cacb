import { useQuery } from '@tanstack/react-query'
import type { Remainder } from '@touchstone/formats/messages'
import { Fold, JsonCard, Pre } from '#features/payloads/chat/chat-view.tsx'
import type { RunDocument } from '#features/traces/queries.ts'
import { ErrorState } from '#ui/states.tsx'

interface PayloadRestProps {
  document: RunDocument
  side: 'inputs' | 'outputs'
  rest: Remainder | undefined
  /** Whether the other fields are open at first. Those of a message format, such as the model, are folded. */
  isOpen: boolean
}

/** What messages or documents do not show of a side: JSON, cut from the stored text so that numbers keep their digits. */
export function PayloadRest({ document, side, rest, isOpen }: PayloadRestProps) {
  const field = document.json.fields.find(({ key }) => key === side)
  if (rest === undefined || field === undefined) return null
  const name = side === 'inputs' ? 'input' : 'output'
  const source = { document, field, without: rest.readFields }
  if (!rest.isWhole && !isOpen) {
    return (
      <Fold label={`Other ${name} fields`} note={rest.otherFields.join(', ')}>
        <FoldedText {...source} />
      </Fold>
    )
  }
  const label = rest.isWhole ? (side === 'inputs' ? 'Input' : 'Output') : `Other ${name} fields`
  return <OpenText {...source} label={label} />
}

/** Mounted, and therefore read, only while its fold is open. */
function FoldedText(source: TextSource) {
  return <RestText query={useRestText(source)} />
}

function OpenText({ label, ...source }: TextSource & { label: string }) {
  const query = useRestText(source)
  return (
    <JsonCard label={label} text={query.data}>
      <RestText query={query} />
    </JsonCard>
  )
}

function RestText({ query }: { query: ReturnType<typeof useRestText> }) {
  const { data, error, refetch } = query
  if (data !== undefined) return <Pre text={data} language="json" />
  if (error)
    return <ErrorState compact title="Could not read the fields" error={error} onRetry={() => void refetch()} />
  return <p className="px-2 py-1 text-row text-fg-subtle">Loading…</p>
}

interface TextSource {
  document: RunDocument
  field: { key: string; start: number; end: number }
  /** Members that are shown elsewhere. */
  without: readonly string[]
}

/** The indented text, printed by the worker of a large document. */
function useRestText({ document: { run, json, readAt }, field: { key, start, end }, without }: TextSource) {
  return useQuery({
    queryKey: ['payload-rest', run.id, readAt, key, without],
    queryFn: () => json.call('indentedText', start, end, without),
    // A small document is read here at once, so that nothing moves.
    initialData: () => json.api?.indentedText(start, end, without),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  })
}
