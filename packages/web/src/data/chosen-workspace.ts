const NAME = 'touchstone.workspace'

let chosen: string | undefined

/** The workspace that this page's requests speak to; undefined leaves it to the server, which takes the one used last. */
export function chosenWorkspace(): string | undefined {
  return chosen
}

/** @param id  undefined forgets it, also for pages that are opened later */
export function writeChosenWorkspace(id: string | undefined): void {
  chosen = id
  if (id === undefined) localStorage.removeItem(NAME)
  else localStorage.setItem(NAME, id)
}

/** The one that this browser used last; the caller belonged to it then. */
export function lastWorkspace(): string | undefined {
  return localStorage.getItem(NAME) ?? undefined
}

/** Chooses the workspace of an address that needs no question to the server. @returns whether it did */
export function chooseKnownWorkspace(id: string): boolean {
  if (chosen === undefined && lastWorkspace() === id) chosen = id
  return chosen === id
}
