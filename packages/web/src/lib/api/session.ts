import { createStore } from '#lib/store.ts'

const KEY_NAME = 'touchstone.api-key'
const WORKSPACE_NAME = 'touchstone.workspace'

/** The API key that this browser sends; undefined without one. */
export function readKey(): string | undefined {
  return localStorage.getItem(KEY_NAME) ?? undefined
}

/** Also clears the workspace: the next caller may belong to other workspaces. */
export function writeKey(key: string | undefined): void {
  writeWorkspaceId(undefined)
  if (key === undefined) localStorage.removeItem(KEY_NAME)
  else localStorage.setItem(KEY_NAME, key)
}

const workspaceId = createStore<string | undefined>(() => undefined)

/** The workspace that this page's requests name. Undefined leaves the choice to the server, which takes the last used one. */
export function readWorkspaceId(): string | undefined {
  return workspaceId.read()
}

/** @param id  undefined clears it, also for pages that are opened later */
export function writeWorkspaceId(id: string | undefined): void {
  workspaceId.write(id)
  if (id === undefined) localStorage.removeItem(WORKSPACE_NAME)
  else localStorage.setItem(WORKSPACE_NAME, id)
}

/** The workspace that this browser used last. The caller belonged to it then. */
export function readLastWorkspaceId(): string | undefined {
  return localStorage.getItem(WORKSPACE_NAME) ?? undefined
}

/** Enters the workspace without asking the server if it is the one used last. @returns whether it was entered */
export function enterLastWorkspace(id: string): boolean {
  if (workspaceId.read() === undefined && readLastWorkspaceId() === id) workspaceId.write(id)
  return workspaceId.read() === id
}

/** The number of requests that the server refused because the caller is not signed in. */
export const unauthenticatedRequests = createStore(() => 0)

/** The API key that setup created for a project. It is kept in memory only, for the snippet on the next page. */
export const setupKey = createStore<{ projectName: string; key: string } | undefined>(() => undefined)
