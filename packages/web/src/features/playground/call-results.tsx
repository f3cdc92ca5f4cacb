import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { Button } from '#ui/button.tsx'
import { TEXT_AREA } from '#ui/field.tsx'
import type { StreamedCall } from './logic/answers.ts'
import type { PlaygroundOrigin } from './logic/controller.ts'
import { type FoundResult, findResults, listRowResults, listTraceResults } from './logic/tool-results.ts'
import { recordedQuery } from './queries.ts'

interface CallResultsProps {
  /** Name of the variant. */
  name: string
  calls: readonly StreamedCall[]
  /** The run and the row that the page was filled from. */
  origin: PlaygroundOrigin
  /** Why the conversation cannot go on; undefined if it can. */
  blocked: string | undefined
  onSend: (results: readonly { id: string; text: string }[]) => void
}

/**
 * A field for the result of each call, so that the conversation goes on. A result of a call with the same arguments, from
 * the dataset row or the recorded trace, is filled in; one of a call with other arguments is offered.
 */
export function CallResults({ name, calls, origin, blocked, onSend }: CallResultsProps) {
  // A field that was not touched has no text of its own.
  const [texts, setTexts] = useState<readonly (string | undefined)[]>(() => calls.map(() => undefined))
  const found = useRecordedResults(calls, origin)
  const setText = (at: number, text: string) => setTexts(texts.map((one, index) => (index === at ? text : one)))
  const read = (at: number) => texts[at] ?? (found[at]?.isSame ? found[at].result.text : '')
  return (
    <form
      aria-label={`Results of the calls of ${name}`}
      className="flex min-w-0 flex-col gap-1.5 rounded-card border border-border bg-surface p-2"
      onSubmit={(event) => {
        event.preventDefault()
        if (blocked !== undefined) return
        onSend(calls.map(({ id }, at) => ({ id, text: read(at) })))
      }}
    >
      {calls.map((call, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: calls may have the same name and id
        <div key={at} className="flex min-w-0 flex-col gap-0.5 text-row text-fg-muted">
          <label className="flex min-w-0 flex-col gap-0.5">
            <span className="min-w-0 [overflow-wrap:anywhere]">
              Result of <code className="font-mono text-fg">{call.name}</code>
            </span>
            <textarea
              rows={1}
              spellCheck={false}
              value={read(at)}
              onChange={(event) => setText(at, event.target.value)}
              className={`${TEXT_AREA} !min-h-9 max-h-40 font-mono !text-row [field-sizing:content]`}
            />
          </label>
          <Found found={found[at]} text={read(at)} onUse={(text) => setText(at, text)} />
        </div>
      ))}
      <Button type="submit" look="primary" disabled={blocked !== undefined} title={blocked} className="w-fit">
        Send {calls.length === 1 ? 'result' : 'results'}
      </Button>
      {blocked !== undefined && <p className="text-meta text-fg-muted">{blocked}</p>}
    </form>
  )
}

const SOURCES = { trace: 'the recorded trace', dataset: 'the dataset row' } as const

interface FoundProps {
  found: FoundResult | undefined
  /** What the field has. */
  text: string
  onUse: (text: string) => void
}

/** Where the text of the field comes from, or a recorded result to use. */
function Found({ found, text, onUse }: FoundProps) {
  if (found === undefined) return null
  const { result, isSame } = found
  const source = SOURCES[result.from]
  if (text === result.text) return <p className="text-meta">From {source}.</p>
  const hasOtherArguments = !isSame && result.arguments !== undefined
  return (
    <p className="flex flex-wrap items-center gap-x-2 text-meta">
      <Button look="quiet" title={result.text.slice(0, 500)} onClick={() => onUse(result.text)}>
        Use the result of {source}
      </Button>
      {hasOtherArguments && (
        <span className="min-w-0 truncate" title={JSON.stringify(result.arguments)}>
          for {JSON.stringify(result.arguments).slice(0, 200)}
        </span>
      )}
    </p>
  )
}

/** The recorded result of each call: that of the dataset row, or else that of the trace. */
function useRecordedResults(calls: readonly StreamedCall[], { runId, example }: PlaygroundOrigin) {
  const runs = useQuery({ ...recordedQuery.trace(runId ?? ''), enabled: runId !== undefined }).data
  const row = useQuery({ ...recordedQuery.example(example?.exampleId ?? ''), enabled: example !== undefined }).data
  return useMemo(() => {
    const ofTrace = findResults(calls, runs === undefined ? [] : listTraceResults(runs))
    const names = calls.map(({ name }) => name)
    const ofRow = findResults(calls, row === undefined ? [] : listRowResults(row, names))
    return calls.map((_, at) => {
      const [a, b] = [ofRow[at], ofTrace[at]]
      // A field of a row with the name of the tool is the answer to every call of it.
      if (a !== undefined && a.result.arguments === undefined) return { ...a, isSame: true }
      return a?.isSame ? a : b?.isSame ? b : (a ?? b)
    })
  }, [calls, runs, row])
}
