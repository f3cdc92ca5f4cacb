import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type HTMLInputTypeAttribute, type ReactNode, useState } from 'react'
import { describeFailure, parseRefusal } from '#lib/errors.ts'
import { FormProblem, SignInFrame } from '#shell/frame/sign-in-frame.tsx'
import { Button, buttonLook } from '#ui/button.tsx'
import { findEmailProblem, findPasswordProblem, useCheckedForm } from '#ui/checked-form.tsx'
import { TextField } from '#ui/field.tsx'
import { accountMutation } from './queries.ts'

export interface SetUpFormProps {
  /** Whether the server accepts requests of this machine without sign-in. */
  isOpen: boolean
  needsCode: boolean
  /** Setup code from the URL; may be empty. */
  code: string
  onDone: (tenant: string, projectId: string) => void
}

export function SetUpForm({ isOpen, needsCode, code, onDone }: SetUpFormProps) {
  const setUp = useMutation({ ...accountMutation.setUp(useQueryClient()) })
  const [draft, setDraft] = useState({ email: '', password: '', workspaceName: '', projectName: '', code })
  const refusal = setUp.isError ? parseRefusal(setUp.error) : undefined
  const { form, problems } = useCheckedForm(
    {
      code: needsCode && draft.code.trim() === '' ? 'Enter the setup code that the server printed.' : undefined,
      email: findEmailProblem(draft.email),
      password: findPasswordProblem(draft.password),
      workspaceName: draft.workspaceName.trim() === '' ? 'Enter a name.' : undefined,
      projectName: draft.projectName.trim() === '' ? 'Enter a name.' : undefined,
    },
    () => {
      const request = { ...draft, code: needsCode ? draft.code.trim() : undefined }
      setUp.mutate(request, { onSuccess: ({ me, project_id }) => onDone(me.tenant_id, project_id) })
    },
    setUp.error,
  )
  const field = (name: keyof typeof draft, label: string, more: FieldOptions) => (
    <TextField
      label={label}
      hint={more.hint}
      error={problems?.[name] ?? refusal?.fields[more.wire]}
      type={more.type ?? 'text'}
      autoComplete={more.autoComplete}
      required
      // The page has one purpose and begins with this field.
      autoFocus={more.isFirst ?? false}
      placeholder={more.placeholder}
      value={draft[name]}
      onChange={(typed) => setDraft({ ...draft, [name]: typed })}
    />
  )
  return (
    <SignInFrame
      title="Set up"
      lead={
        isOpen
          ? 'Anyone on this machine can use this server. After setup, people sign in and programs need a key.'
          : 'Create the first account to use this server. You become its admin.'
      }
    >
      <form {...form} className="flex flex-col gap-5">
        {needsCode && code === '' && (
          <Step title="Code">
            {field('code', 'Setup code', {
              wire: 'code',
              autoComplete: 'off',
              hint: 'The server printed it when it started.',
            })}
          </Step>
        )}
        <Step title="1 Account">
          {field('email', 'Email', { wire: 'email', type: 'email', autoComplete: 'username', isFirst: true })}
          {field('password', 'Password', {
            wire: 'password',
            type: 'password',
            autoComplete: 'new-password',
            hint: 'At least 10 characters.',
          })}
        </Step>
        <Step title="2 Workspace">
          {field('workspaceName', 'Workspace name', { wire: 'workspace_name', placeholder: 'acme' })}
        </Step>
        <Step title="3 Project">
          {field('projectName', 'Project name', { wire: 'project_name', placeholder: 'my-app' })}
        </Step>
        <FormProblem>
          {setUp.isError && (refusal ? refusal.sentence : describeFailure(setUp.error).message)}
        </FormProblem>
        <Button type="submit" look="primary" disabled={setUp.isPending} className="h-9">
          {setUp.isPending ? 'Setting up…' : 'Start tracing'}
        </Button>
        {isOpen && (
          <Link to="/" className={`${buttonLook('quiet')} self-center`}>
            Not now
          </Link>
        )}
      </form>
    </SignInFrame>
  )
}

interface FieldOptions {
  /** Field name in validation errors of the server. */
  wire: string
  type?: HTMLInputTypeAttribute
  autoComplete?: string
  hint?: string
  placeholder?: string
  isFirst?: boolean
}

function Step({ title, children }: { title: string; children: ReactNode }) {
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="mb-2 text-base font-semibold">{title}</legend>
      {children}
    </fieldset>
  )
}
