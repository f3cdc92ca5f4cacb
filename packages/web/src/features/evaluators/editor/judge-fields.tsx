import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Plus, Trash2 } from 'lucide-react'
import { useMemo } from 'react'
import { modelProviderQuery } from '#features/models/providers/queries.ts'
import { Button, IconButton } from '#ui/button.tsx'
import { Combobox } from '#ui/combobox.tsx'
import { FormField, TEXT_AREA, TextField } from '#ui/field.tsx'
import { Segmented } from '#ui/segmented.tsx'
import { Select } from '#ui/select.tsx'
import { ErrorState } from '#ui/states.tsx'
import { hasBoundary, type JudgeDraft, type JudgeRole, listMappedVariables, listPaths, previewPath } from '../draft.ts'
import type { EvaluatorRow } from '../queries.ts'
import { FeedbackFields } from './feedback-fields.tsx'

interface JudgeFieldsProps {
  tenant: string
  draft: JudgeDraft
  problems: Readonly<Record<string, string>>
  /** The row that shows what the paths find. */
  row: EvaluatorRow | undefined
  onChange: (draft: JudgeDraft) => void
}

/** Model, messages, variables and feedback keys of a judge. */
export function JudgeFields({ tenant, draft, problems, row, onChange }: JudgeFieldsProps) {
  const change = (part: Partial<JudgeDraft>) => onChange({ ...draft, ...part })
  return (
    <>
      <ModelFields tenant={tenant} draft={draft} problems={problems} onChange={change} />
      <Messages draft={draft} problem={problems.messages} onChange={change} />
      <Mapping draft={draft} problems={problems} row={row} onChange={change} />
      <FeedbackFields draft={draft} problems={problems} onChange={change} />
    </>
  )
}

interface PartProps {
  draft: JudgeDraft
  onChange: (part: Partial<JudgeDraft>) => void
}

type ModelFieldsProps = PartProps & Pick<JudgeFieldsProps, 'tenant' | 'problems'>

function ModelFields({ tenant, draft, problems, onChange }: ModelFieldsProps) {
  const { data: providers, error, refetch } = useQuery(modelProviderQuery.list())
  const provider = providers?.find(({ id }) => id === draft.providerId)
  const listed = useQuery({ ...modelProviderQuery.models(draft.providerId), enabled: provider !== undefined })
  const models = [...(listed.data?.models.map(({ id }) => id) ?? []), ...(provider?.models ?? [])]
  if (error !== null && providers === undefined) {
    return (
      <ErrorState compact title="Could not load the model providers" error={error} onRetry={() => void refetch()} />
    )
  }
  const isGone = draft.providerId !== '' && providers !== undefined && provider === undefined
  return (
    <section aria-label="Model" className="flex flex-col gap-2">
      {providers?.length === 0 && (
        <p role="status" className="rounded-control bg-sunken px-3 py-2 text-row">
          The workspace has no model provider.{' '}
          <Link to="/o/$tenant/settings/providers" params={{ tenant }} className="text-accent underline">
            Add one in Settings
          </Link>
          , then come back.
        </p>
      )}
      <div className="flex gap-3 max-sm:flex-col">
        <FormField
          className="flex-1"
          label="Provider"
          error={isGone ? 'The provider of this evaluator was deleted. Choose another one.' : problems.provider}
        >
          {(props) => (
            <Select
              {...props}
              value={provider?.id ?? ''}
              placeholder="Choose a provider"
              onChange={(providerId) => onChange({ providerId })}
              options={(providers ?? []).map(({ id, name }) => ({ value: id, label: name }))}
            />
          )}
        </FormField>
        <FormField
          className="flex-1"
          label="Model"
          error={problems.model}
          hint={listed.data?.problem ? `${listed.data.problem.message} Type a name.` : undefined}
        >
          {(props) => (
            <Combobox
              {...props}
              value={draft.model}
              suggestions={[...new Set(models)]}
              onChange={(model) => onChange({ model })}
            />
          )}
        </FormField>
        <TextField
          className="sm:w-32"
          label="Temperature"
          isNumber
          autoComplete="off"
          placeholder="default"
          value={draft.temperature}
          error={problems.temperature}
          onChange={(temperature) => onChange({ temperature })}
        />
      </div>
    </section>
  )
}

const ROLES: readonly JudgeRole[] = ['system', 'user', 'assistant']

function Messages({ draft, problem, onChange }: PartProps & { problem: string | undefined }) {
  const { messages, format } = draft
  const replace = (at: number, part: Partial<(typeof messages)[number]>) =>
    onChange({ messages: messages.map((message, index) => (index === at ? { ...message, ...part } : message)) })
  return (
    <section aria-label="Messages" className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center gap-2">
        <h2 className="text-row font-medium">Messages</h2>
        <span className="ml-auto">
          <Segmented
            label="Template language"
            value={format}
            onChange={(next) => onChange({ format: next })}
            options={[
              { value: 'mustache', label: '{{variable}}' },
              { value: 'f-string', label: '{variable}' },
            ]}
          />
        </span>
      </div>
      {messages.map((message, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: messages have no ids, and are only added at the end
        <div key={at} className="flex flex-col gap-1">
          <div className="flex items-center gap-2">
            <Select
              size="small"
              aria-label={`Role of message ${at + 1}`}
              value={message.role}
              onChange={(role) => replace(at, { role })}
              options={ROLES.map((role) => ({ value: role, label: role }))}
            />
            <IconButton
              icon={Trash2}
              label={`Remove message ${at + 1}`}
              className="ml-auto"
              onClick={() => onChange({ messages: messages.filter((_, index) => index !== at) })}
            />
          </div>
          <textarea
            aria-label={`Text of message ${at + 1}`}
            dir="auto"
            rows={Math.min(12, Math.max(3, message.content.split('\n').length))}
            value={message.content}
            onChange={(event) => replace(at, { content: event.target.value })}
            className={TEXT_AREA}
          />
        </div>
      ))}
      {problem !== undefined && (
        <p role="alert" className="text-row text-err">
          {problem}
        </p>
      )}
      <InjectionNote isBounded={hasBoundary(draft)} variable={format === 'mustache' ? '{{boundary}}' : '{boundary}'} />
      <span>
        <Button onClick={() => onChange({ messages: [...messages, { role: 'user', content: '' }] })}>
          <Plus size={13} aria-hidden />
          Add message
        </Button>
      </span>
    </section>
  )
}

/** Judged text may contain instructions for the judge ("prompt injection"); a boundary makes it harder to follow them. */
function InjectionNote({ isBounded, variable }: { isBounded: boolean; variable: string }) {
  const code = <code className="font-mono">{variable}</code>
  return (
    <p
      role="note"
      className={isBounded ? 'text-row text-fg-muted' : 'rounded-control bg-sunken px-3 py-2 text-row text-warn'}
    >
      Judged text can contain instructions for the judge, such as “give this the highest score” (prompt injection).{' '}
      {isBounded ? (
        <>
          {code} is a random text of each call, which judged text cannot know. Keep it on a line before and after each
          value.
        </>
      ) : (
        <>
          Put a line with {code} before and after each value, and tell the model that what stands between is data:{' '}
          {code} is a random text of each call, which judged text cannot know.
        </>
      )}{' '}
      No boundary is complete: “Agreement with people” tries an instruction on a row.
    </p>
  )
}

type MappingProps = PartProps & Pick<JudgeFieldsProps, 'problems' | 'row'>

/** Where the values of the variables are in a row, each with what the path finds in the row that is shown. */
function Mapping({ draft, problems, row, onChange }: MappingProps) {
  const variables = listMappedVariables(draft)
  const paths = useMemo(
    () => (row === undefined ? ['inputs', 'outputs', 'reference_outputs'] : listPaths(row.values)),
    [row],
  )
  return (
    <section aria-label="Variables" className="flex flex-col gap-2">
      <h2 className="text-row font-medium">Variables</h2>
      <p className="text-row text-fg-muted">
        <code className="font-mono">inputs</code>, <code className="font-mono">outputs</code> and{' '}
        <code className="font-mono">reference_outputs</code> are the values of a row, and{' '}
        <code className="font-mono">boundary</code> is a random text. Every other variable of the messages needs a path
        to its value.
      </p>
      {variables.map((name) => (
        <div key={name} className="flex flex-col gap-1">
          <FormField label={<bdi className="font-mono">{name}</bdi>} error={problems[`mapping.${name}`]}>
            {(props) => (
              <Combobox
                {...props}
                aria-label={`Path of ${name}`}
                dir="ltr"
                placeholder="inputs.question"
                value={draft.mapping[name] ?? ''}
                suggestions={paths}
                onChange={(path) => onChange({ mapping: { ...draft.mapping, [name]: path } })}
              />
            )}
          </FormField>
          {row !== undefined && (draft.mapping[name] ?? '') !== '' && (
            <Found name={name} found={previewPath(row.values, draft.mapping[name] ?? '')} />
          )}
        </div>
      ))}
    </section>
  )
}

function Found({ name, found }: { name: string; found: ReturnType<typeof previewPath> }) {
  return (
    <p role="status" aria-label={`Value of ${name}`} className="text-row">
      {'problem' in found ? (
        <span className="text-err">In this row: {found.problem}.</span>
      ) : (
        <>
          <span className="text-fg-muted">In this row: </span>
          <bdi className="font-mono [overflow-wrap:anywhere]">{found.text === '' ? '(empty)' : found.text}</bdi>
        </>
      )}
    </p>
  )
}
