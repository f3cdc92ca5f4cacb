import { SnippetTabs } from '#ui/snippet.tsx'
import { FIRST_DATASET } from '../snippets.ts'

/** A program that creates a dataset and runs an experiment over it. */
export function FirstDatasetSnippet() {
  return (
    <section aria-label="Start from a program">
      <h2 className="mb-2 text-form font-semibold">Or start from a program</h2>
      <SnippetTabs snippets={FIRST_DATASET} />
    </section>
  )
}
