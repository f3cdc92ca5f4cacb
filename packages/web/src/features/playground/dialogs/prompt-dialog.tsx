import { useQuery, useQueryClient } from '@tanstack/react-query'
import type { ModelProvider, Prompt } from '@touchstone/sdk'
import { type KeyboardEvent, useId, useState } from 'react'
import { PromptVersionSelect } from '#features/prompts/document/prompt-version-select.tsx'
import { promptQuery } from '#features/prompts/queries.ts'
import { cx } from '#lib/browser.ts'
import { pluralize } from '#lib/format.ts'
import { FormDialog } from '#ui/dialog.tsx'
import { CONTROL, FormField } from '#ui/field.tsx'
import { useSettledText } from '#ui/search-field.tsx'
import { Select } from '#ui/select.tsx'
import { ErrorState, SkeletonRows } from '#ui/states.tsx'
import type { Variant } from '../logic/variant.ts'
import { openPrompt } from '../use-playground.ts'

interface PromptDialogProps {
  variants: readonly Variant[]
  /** Key of the variant that the dialog was opened from. */
  variantKey: string
  providers: readonly ModelProvider[]
  /**
   * @param key     the variant that is replaced; undefined for a new one
   * @param values  texts of variables that the prompt fills in
   */
  onOpen: (key: string | undefined, variant: Variant, values: Readonly<Record<string, string>>) => void
  onClose: () => void
}

const NEW = 'new'

/** Finds a prompt of the workspace, as the command palette does, and opens one of its commits in a variant. */
export function PromptDialog({ variants, variantKey, providers, onOpen, onClose }: PromptDialogProps) {
  const queryClient = useQueryClient()
  const [chosen, setChosen] = useState<string>()
  const [version, setVersion] = useState('latest')
  const [target, setTarget] = useState(variantKey)
  const [state, setState] = useState<{ isPending: boolean; error: unknown }>({ isPending: false, error: null })
  const prompt = chosen === undefined ? undefined : { owner: '-', repo: chosen }
  async function open() {
    if (prompt === undefined) return
    setState({ isPending: true, error: null })
    try {
      const opened = await openPrompt(queryClient, { ...prompt, commit: version }, providers)
      const [variant] = opened.state.variants
      if (variant === undefined) return
      onOpen(target === NEW ? undefined : target, variant, opened.state.values)
      onClose()
    } catch (error) {
      setState({ isPending: false, error })
    }
  }
  return (
    <FormDialog
      title="Open a prompt"
      action="Open"
      errorTitle="Could not open the prompt"
      width="max-w-xl"
      canSubmit={prompt !== undefined}
      isPending={state.isPending}
      error={state.error}
      onSubmit={() => void open()}
      onClose={onClose}
    >
      <PromptSearch
        chosen={chosen}
        onChoose={(repo) => {
          setChosen(repo)
          setVersion('latest')
        }}
      />
      {prompt && (
        <div className="grid gap-3 sm:grid-cols-2">
          <FormField label="Version">
            {(props) => (
              <PromptVersionSelect
                {...props}
                prompt={prompt}
                label={`Version of ${prompt.repo}`}
                value={version}
                onChange={setVersion}
              />
            )}
          </FormField>
          <FormField label="Open in">
            {(props) => (
              <Select
                {...props}
                value={target}
                onChange={setTarget}
                options={[
                  ...variants.map(({ key, name }) => ({
                    value: key,
                    label: `Variant ${name}, in place of its prompt`,
                  })),
                  { value: NEW, label: 'A new variant' },
                ]}
              />
            )}
          </FormField>
        </div>
      )}
    </FormDialog>
  )
}

interface PromptSearchProps {
  /** Name of the chosen prompt. */
  chosen: string | undefined
  onChoose: (repo: string) => void
}

/** The server finds prompts by name and description; arrows and Enter choose one. */
function PromptSearch({ chosen, onChoose }: PromptSearchProps) {
  const listId = useId()
  const [text, setText] = useState('')
  const [active, setActive] = useState(0)
  const settled = useSettledText(text.trim())
  const { data, error, isPending, isPlaceholderData, refetch } = useQuery(promptQuery.find(settled))
  // Until they arrive, the prompts that are shown are those of the text before.
  const isCurrent = settled === text.trim() && !isPlaceholderData
  const found = data?.repos ?? []
  const at = Math.min(active, found.length - 1)
  function press(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing) return
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (by !== undefined) {
      event.preventDefault()
      setActive(Math.min(Math.max(at + by, 0), found.length - 1))
      document.getElementById(`${listId}-${at + by}`)?.scrollIntoView({ block: 'nearest' })
    } else if (event.key === 'Enter') {
      const prompt = found[at]
      // Enter on the prompt that is chosen already opens it.
      if (isCurrent && (prompt === undefined || prompt.repo_handle === chosen)) return
      event.preventDefault()
      if (isCurrent && prompt !== undefined && prompt.num_commits > 0) onChoose(prompt.repo_handle)
    }
  }
  const more = (data?.total ?? 0) - found.length
  return (
    <div className="flex flex-col gap-1">
      <input
        role="combobox"
        aria-label="Find a prompt"
        aria-expanded
        aria-controls={listId}
        aria-autocomplete="list"
        aria-activedescendant={found.length > 0 ? `${listId}-${at}` : undefined}
        placeholder="Find a prompt by name or description"
        autoComplete="off"
        spellCheck={false}
        maxLength={200}
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          setActive(0)
        }}
        onKeyDown={press}
        className={CONTROL}
      />
      {error !== null && (
        <ErrorState compact title="Could not search the prompts" error={error} onRetry={() => void refetch()} />
      )}
      {isPending && <SkeletonRows rows={5} label="Loading the prompts" />}
      <div
        id={listId}
        role="listbox"
        aria-label="Prompts"
        tabIndex={-1}
        className="max-h-64 overflow-y-auto rounded-control border border-border empty:hidden"
      >
        {found.map((prompt, index) => (
          <PromptOption
            key={prompt.id}
            id={`${listId}-${index}`}
            prompt={prompt}
            isChosen={prompt.repo_handle === chosen}
            isActive={index === at}
            onChoose={() => {
              setActive(index)
              if (prompt.num_commits > 0) onChoose(prompt.repo_handle)
            }}
          />
        ))}
      </div>
      {data !== undefined && found.length === 0 && (
        <p role="status" className="text-row text-fg-muted">
          {text.trim() === '' ? 'The workspace has no prompts.' : `No prompt matches “${text.trim()}”.`}
        </p>
      )}
      {more > 0 && (
        <p role="status" className="text-meta text-fg-muted">
          {pluralize(more, 'more prompt')}. Type to find them.
        </p>
      )}
    </div>
  )
}

interface PromptOptionProps {
  id: string
  prompt: Prompt
  isChosen: boolean
  isActive: boolean
  onChoose: () => void
}

function PromptOption({ id, prompt, isChosen, isActive, onChoose }: PromptOptionProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: keys are handled by the field, which keeps the focus
    <div
      id={id}
      role="option"
      tabIndex={-1}
      aria-selected={isChosen}
      aria-disabled={prompt.num_commits === 0 || undefined}
      onMouseDown={(event) => event.preventDefault()}
      onClick={onChoose}
      className={cx(
        'flex min-h-8 cursor-default items-baseline gap-2 px-2 py-1 text-row aria-selected:bg-selected coarse:min-h-10',
        isActive && !isChosen && 'bg-hover',
      )}
    >
      <span className="min-w-0 max-w-[60%] shrink-0 truncate font-medium" title={prompt.repo_handle}>
        {prompt.repo_handle}
      </span>
      <span dir="auto" className="min-w-0 flex-1 truncate text-fg-muted">
        {prompt.description}
      </span>
      {prompt.num_commits === 0 && <span className="shrink-0 text-meta text-fg-muted">No commits</span>}
    </div>
  )
}
