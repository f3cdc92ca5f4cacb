;(() => {
  var choice = 'system'
  try {
    choice = localStorage.getItem('touchstone.theme') || 'system'
  } catch (_) {}
  var dark = choice === 'dark' || (choice !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.dataset.theme = dark ? 'dark' : 'light'
})()
