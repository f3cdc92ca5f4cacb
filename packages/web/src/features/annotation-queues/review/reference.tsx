import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { findOnlyText } from '#features/comparison/logic/row-texts.ts'
import { exampleQuery } from '#features/datasets/examples/queries.ts'

/** What the run of an experiment should have answered. Nothing for an example without reference outputs, or a deleted one. */
export function Reference({ exampleId }: { exampleId: string }) {
  const { data: outputs } = useQuery(exampleQuery.reference(exampleId))
  if (outputs === undefined || outputs === '') return null
  const text = findOnlyText(JSON.parse(outputs))
  return (
    <section aria-label="Reference" className="border-t border-border bg-surface p-3">
      <header className="flex items-center justify-between gap-2">
        <h2 className="text-form font-semibold">Reference</h2>
        <Link
          to="/go/$id"
          params={{ id: exampleId }}
          target="_blank"
          className="text-row text-accent hover:underline coarse:py-3"
        >
          Open example
        </Link>
      </header>
      {text === undefined ? (
        <pre className="mt-1 whitespace-pre-wrap font-mono text-row [overflow-wrap:anywhere]">{outputs}</pre>
      ) : (
        <p dir="auto" className="mt-1 whitespace-pre-wrap text-base text-fg-muted [overflow-wrap:anywhere]">
          {text}
        </p>
      )}
    </section>
  )
}
