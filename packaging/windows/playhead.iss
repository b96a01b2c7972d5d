; Inno Setup 6: the installer of the folder that build.spec makes.
;     iscc /DVersion=1.0.0 packaging\windows\playhead.iss
; It installs for one user without asking for an administrator, or for all where one starts it.

#ifndef Version
  #error Give the version: /DVersion=1.0.0
#endif

[Setup]
AppId={{6E1B6C3B-5B0C-4D0C-9C55-3A8B0E6A5C11}
AppName=Playhead
AppVersion={#Version}
AppPublisher=The Playhead authors
DefaultDirName={autopf}\Playhead
DefaultGroupName=Playhead
DisableProgramGroupPage=yes
PrivilegesRequired=lowest
PrivilegesRequiredOverridesAllowed=dialog
ArchitecturesAllowed=x64compatible
ArchitecturesInstallIn64BitMode=x64compatible
OutputDir=..\..\dist
Compression=lzma2/max
SolidCompression=yes
LicenseFile=..\..\LICENSE
UninstallDisplayIcon={app}\playhead.exe
WizardStyle=modern
ChangesAssociations=yes
CloseApplications=yes
RestartApplications=no

[Languages]
Name: "en"; MessagesFile: "compiler:Default.isl"

[Tasks]
Name: "desktopicon"; Description: "{cm:CreateDesktopIcon}"; Flags: unchecked

[Files]
Source: "..\..\dist\playhead\*"; DestDir: "{app}"; Flags: recursesubdirs ignoreversion

[InstallDelete]
; Libraries of an earlier version must not stay beside the new ones.
Type: filesandordirs; Name: "{app}\_internal"

[Icons]
Name: "{group}\Playhead"; Filename: "{app}\playhead.exe"
Name: "{autodesktop}\Playhead"; Filename: "{app}\playhead.exe"; Tasks: desktopicon

[Registry]
; "Open with" only: nothing is taken from the programs that open these files now.
Root: HKA; Subkey: "Software\Classes\Applications\playhead.exe"; ValueType: string; ValueName: "FriendlyAppName"; ValueData: "Playhead"; Flags: uninsdeletekey
Root: HKA; Subkey: "Software\Classes\Applications\playhead.exe\shell\open\command"; ValueType: string; ValueData: """{app}\playhead.exe"" ""%1"""
Root: HKA; Subkey: "Software\Classes\Applications\playhead.exe\SupportedTypes"; ValueType: string; ValueName: ".ipynb"; ValueData: ""
Root: HKA; Subkey: "Software\Classes\Applications\playhead.exe\SupportedTypes"; ValueType: string; ValueName: ".csv"; ValueData: ""
Root: HKA; Subkey: "Software\Classes\Applications\playhead.exe\SupportedTypes"; ValueType: string; ValueName: ".py"; ValueData: ""

; `playhead-console serve` and `chat` in a terminal: by full path, PATH is left as it is.

[Run]
Filename: "{app}\playhead.exe"; Description: "{cm:LaunchProgram,Playhead}"; Flags: nowait postinstall skipifsilent
