"""Functions of Python's libraries by their full names, and what calling them does."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from playhead.analysis.targets import word_set

Action = Literal[
    "delete",
    "write",
    "copy",
    "move",
    "read",
    "open",
    "reach",
    "address",
    "shell",
    "start",
    "install",
    "hide",
    "sql",
    "variable",
    "settings",
    "secret",
    "run_code",
    "archive",
    "memory",
    "temporary",
    "chdir",
    "load",
]


class KnownCall(Struct, frozen=True):
    """The action of a call, the index of the argument that it is done to, its keyword."""

    action: Action
    at: int = 0
    keyword: str = ""


def _table(entries: dict[tuple[Action, int, str], str]) -> dict[str, KnownCall]:
    return {name: KnownCall(*call) for call, names in entries.items() for name in names.split()}


FUNCTIONS = _table(
    {
        ("delete", 0, "path"): """os.remove os.unlink os.rmdir os.removedirs shutil.rmtree
            send2trash.send2trash pathlib.Path.unlink pathlib.Path.rmdir fs.remove
            distutils.dir_util.remove_tree tf.io.gfile.remove tensorflow.io.gfile.rmtree""",
        ("write", 0, "path"): """os.mkdir os.makedirs os.chmod os.chown os.lchown os.truncate
            os.utime os.mkfifo os.mknod os.setxattr os.removexattr shutil.chown
            numpy.save numpy.savez numpy.savez_compressed numpy.savetxt
            cv2.imwrite imageio.imwrite imageio.imsave imageio.mimsave imageio.v2.imwrite
            imageio.v3.imwrite imageio.v2.mimsave skimage.io.imsave tifffile.imwrite
            matplotlib.pyplot.savefig pylab.savefig matplotlib.pyplot.imsave
            matplotlib.image.imsave soundfile.write shelve.open
             scipy.io.savemat scipy.io.wavfile.write
            sqlite3.connect aiosqlite.connect duckdb.connect tinydb.TinyDB
            logging.FileHandler logging.handlers.RotatingFileHandler
            logging.handlers.TimedRotatingFileHandler xlsxwriter.Workbook
            pandas.ExcelWriter  pyarrow.parquet.ParquetWriter
            fpdf.FPDF.output wordcloud.WordCloud.to_file reportlab.pdfgen.canvas.Canvas
            torch.jit.save pyarrow.csv.write_csv distutils.dir_util.mkpath
            plotly.offline.plot  """,
        ("write", 1, ""): """numpy.ndarray.tofile joblib.dump torch.save shutil.unpack_archive
            pyarrow.parquet.write_table pyarrow.feather.write_feather plotly.io.write_image
            plotly.io.write_html safetensors.torch.save_file tensorflow.io.write_file
            networkx.write_gml networkx.write_graphml networkx.write_edgelist
            sympy.preview onnx.save keras.models.save_model
            tensorflow.keras.models.save_model cairosvg.svg2png""",
        ("write", 1, "dst"): "os.symlink os.link",
        ("copy", 0, ""): """shutil.copy shutil.copy2 shutil.copyfile shutil.copytree
            shutil.copymode shutil.copystat distutils.dir_util.copy_tree""",
        ("move", 0, ""): "os.rename os.replace os.renames shutil.move",
        ("write", 0, "base_name"): "shutil.make_archive",
        ("write", 0, "filename"): "logging.basicConfig",
        ("open", 0, "file"): """open io.open codecs.open gzip.open bz2.open lzma.open
            bz2.BZ2File gzip.GzipFile lzma.LZMAFile aiofiles.open os.fdopen tokenize.open
            io.FileIO wave.open smart_open.open fsspec.open
            h5py.File pandas.HDFStore tables.open_file zarr.open netCDF4.Dataset dbm.open""",
        ("archive", 0, "file"): "zipfile.ZipFile tarfile.open tarfile.TarFile py7zr.SevenZipFile",
        ("read", 0, "filepath_or_buffer"): """pandas.read_csv pandas.read_table pandas.read_excel
            pandas.read_json pandas.read_html pandas.read_parquet pandas.read_xml pandas.read_fwf
            pandas.read_feather polars.read_csv polars.read_parquet polars.scan_csv
            polars.scan_parquet numpy.loadtxt numpy.genfromtxt linecache.getlines
            linecache.getline geopandas.read_file xarray.open_dataset dask.dataframe.read_csv
            imageio.imread imageio.v3.imread imageio.v2.imread skimage.io.imread dotenv.load_dotenv
            dotenv.dotenv_values yaml.load_file toml.load fileinput.input pyarrow.parquet.read_table
            configparser.ConfigParser.read torchaudio.load""",
        ("reach", 0, "url"): """requests.get requests.post requests.put requests.patch
            requests.delete requests.head requests.options httpx.get httpx.post httpx.put
            httpx.patch httpx.delete httpx.head httpx.options httpx.stream
            urllib.request.urlopen urllib.request.urlretrieve urllib.urlopen urllib2.urlopen
            urllib.urlretrieve
            wget.download websocket.create_connection websockets.connect
            websockets.sync.client.connect websocket.WebSocketApp xmlrpc.client.ServerProxy
            feedparser.parse webbrowser.open webbrowser.open_new webbrowser.open_new_tab
            aiohttp.request pooch.retrieve gdown.download torch.hub.download_url_to_file
            torch.hub.load_state_dict_from_url tensorflow.keras.utils.get_file keras.utils.get_file
            newspaper.Article pytube.YouTube zeep.Client suds.client.Client pycurl.Curl
            jsonrpclib.Server git.Repo.clone_from sqlalchemy.create_engine
            sqlalchemy.ext.asyncio.create_async_engine redis.from_url redis.Redis.from_url
            pymongo.MongoClient psycopg.connect psycopg2.connect asyncpg.connect nats.connect
            elasticsearch.Elasticsearch pika.URLParameters neo4j.GraphDatabase.driver
            web3.Web3.HTTPProvider opcua.Client datasets.load_dataset
            requests_html.HTMLSession.get treq.get curl_cffi.requests.get
            cloudscraper.get urllib3.request mlflow.set_tracking_uri
            huggingface_hub.hf_hub_download huggingface_hub.snapshot_download
            huggingface_hub.login wandb.init wandb.login openml.datasets.get_dataset
            nltk.download spacy.cli.download tensorflow_datasets.load seaborn.load_dataset
            sklearn.datasets.fetch_openml sklearn.datasets.fetch_california_housing
            sklearn.datasets.fetch_20newsgroups sklearn.datasets.fetch_lfw_people
            sklearn.datasets.fetch_covtype sklearn.datasets.fetch_olivetti_faces
            torch.hub.load yfinance.download yfinance.Ticker pandas_datareader.data.DataReader
            pandas_datareader.DataReader kagglehub.dataset_download wikipedia.page
            wikipedia.summary wikipedia.search statsmodels.api.datasets.get_rdataset
            vega_datasets.data boto3.client boto3.resource boto3.Session
            google.cloud.storage.Client google.cloud.bigquery.Client openai.OpenAI
            openai.AsyncOpenAI anthropic.Anthropic litellm.completion tweepy.Client tweepy.API
            praw.Reddit slack_sdk.WebClient twilio.rest.Client stripe.Charge.create
            github.Github gspread.service_account osmnx.graph_from_place
            geopy.geocoders.Nominatim ee.Initialize translate.Translator
            googletrans.Translator gtts.gTTS speedtest.Speedtest
            transformers.pipeline transformers.AutoModel.from_pretrained
            transformers.AutoTokenizer.from_pretrained
            transformers.AutoModelForCausalLM.from_pretrained
            transformers.AutoModelForSequenceClassification.from_pretrained
            sentence_transformers.SentenceTransformer whisper.load_model
            playwright.sync_api.sync_playwright playwright.async_api.async_playwright
            selenium.webdriver.Chrome selenium.webdriver.Firefox requests.Session.get
            requests.Session.post""",
        ("reach", 1, "url"): """requests.request httpx.request urllib3.PoolManager.request
            httpx.Client.request httpx.AsyncClient.request requests.Session.request""",
        ("address", 0, "host"): """socket.create_connection socket.gethostbyname
            socket.getaddrinfo socket.gethostbyaddr socket.gethostbyname_ex
            asyncio.open_connection http.client.HTTPConnection
            http.client.HTTPSConnection ftplib.FTP ftplib.FTP_TLS smtplib.SMTP smtplib.SMTP_SSL
            imaplib.IMAP4 imaplib.IMAP4_SSL poplib.POP3 poplib.POP3_SSL nntplib.NNTP
            telnetlib.Telnet redis.Redis redis.StrictRedis pymysql.connect MySQLdb.connect
            mysql.connector.connect ping3.ping pysftp.Connection
            asyncssh.connect fabric.Connection ldap3.Server dns.resolver.resolve whois.whois
            paho.mqtt.publish.single cx_Oracle.connect oracledb.connect
            cassandra.cluster.Cluster clickhouse_driver.Client clickhouse_connect.get_client
            telnetlib3.open_connection ntplib.NTPClient aioftp.Client.context
            socketserver.TCPServer http.server.HTTPServer http.server.ThreadingHTTPServer
            asyncio.start_server uvicorn.run""",
        ("shell", 0, ""): """os.system os.popen subprocess.getoutput subprocess.getstatusoutput
            asyncio.create_subprocess_shell pexpect.run commands.getoutput popen2.popen2
           """,
        ("start", 0, "args"): """subprocess.run subprocess.Popen subprocess.call
            subprocess.check_call subprocess.check_output os.startfile pexpect.spawn
            asyncio.create_subprocess_exec os.execv os.execvp os.execve os.execl os.execlp
            os.execle os.execvpe os.posix_spawn os.posix_spawnp pty.spawn plumbum.local.get
            psutil.Popen sh.Command invoke.run""",
        ("start", 1, ""): """os.spawnv os.spawnl os.spawnlp os.spawnvp os.spawnle os.spawnve
           """,
        ("start", 99, ""): """os.fork os.forkpty os.kill os.killpg psutil.Process.kill
            psutil.Process.terminate""",
        ("install", 0, ""): """pip.main pip._internal.main pip._internal.cli.main.main
            micropip.install piplite.install ensurepip.bootstrap""",
        ("hide", 0, ""): """pickle.load pickle.loads pickle.Unpickler cPickle.load cPickle.loads
            _pickle.load _pickle.loads dill.load dill.loads cloudpickle.load cloudpickle.loads
            joblib.load torch.load marshal.load marshal.loads pandas.read_pickle shelve.Shelf
            ctypes.CDLL ctypes.cdll.LoadLibrary ctypes.WinDLL ctypes.PyDLL ctypes.OleDLL
            ctypes.windll ctypes.memmove ctypes.string_at ctypes.cast ctypes.util.find_library
            cffi.FFI runpy.run_path runpy.run_module code.interact code.InteractiveInterpreter
            types.FunctionType types.CodeType importlib.util.spec_from_file_location imp.load_source
            gc.get_objects yaml.unsafe_load yaml.load jsonpickle.decode
            sys._getframe dill.load_session numpy.ctypeslib.load_library""",
        ("run_code", 0, ""): "exec eval compile execfile timeit.timeit",
        ("load", 0, "name"): "__import__ importlib.import_module importlib.__import__",
        ("sql", 0, ""): "pandas.read_sql_query sqlalchemy.text sqlalchemy.sql.text",
        ("variable", 0, "key"): "os.getenv os.environ.get os.environb.get decouple.config",
        ("settings", 0, ""): """winreg.SetValueEx winreg.CreateKey winreg.CreateKeyEx
            winreg.DeleteKey winreg.SetValue winreg.DeleteValue
            keyring.set_password keyring.delete_password crontab.CronTab
            os.setuid os.setgid""",
        ("secret", 0, ""): """keyring.get_password keyring.get_credential
            secretstorage.get_default_collection browser_cookie3.chrome browser_cookie3.firefox
            browser_cookie3.load win32crypt.CryptUnprotectData spwd.getspnam spwd.getspall
            google.colab.userdata.get pyperclip.paste""",
        ("memory", 0, ""): """io.BytesIO io.StringIO BytesIO StringIO six.BytesIO
            six.StringIO tempfile.SpooledTemporaryFile""",
        ("temporary", 0, ""): """tempfile.mkdtemp tempfile.mkstemp tempfile.TemporaryDirectory
            tempfile.NamedTemporaryFile tempfile.TemporaryFile tempfile.gettempdir
            tempfile.mktemp""",
        ("chdir", 0, "path"): "os.chdir contextlib.chdir os.fchdir",
    }
)
"""What is called by its full name. `at` 99: the arguments name nothing."""

METHODS = _table(
    {
        ("write", 0, "path_or_buf"): """to_csv to_json to_html to_markdown to_latex to_xml
            to_string""",
        ("write", 0, "path"): """to_parquet to_feather to_pickle to_stata to_orc to_hdf
            to_netcdf to_zarr write_parquet write_ndjson write_ipc write_excel write_avro
            sink_parquet sink_csv savefig write_image write_html write_png write_xlsx write_csv
            write_database to_file to_excel tofile""",
        (
            "write",
            0,
            "filename",
        ): "save_weights save_pretrained dump_to_file write_videofile write_gif",
        ("sql", 0, ""): "execute executescript executemany exec_driver_sql run_sql",
        ("write", 0, "extract_to"): "extractall extract_all",
    }
)
"""Methods that mean the same whatever they are called on; writers without a path write nothing."""

PATH_METHODS = _table(
    {
        ("delete", -1, ""): "unlink rmdir rmtree remove_p unlink_p rmtree_p",
        ("write", -1, ""): """write_text write_bytes touch mkdir chmod lchmod symlink_to
            hardlink_to link_to makedirs""",
        ("move", -1, ""): "rename replace",
        ("open", -1, ""): "open",
        ("read", -1, ""): "read_text read_bytes",
    }
)
"""Methods of a path; all but the last three lines are taken for these of unknown things, too."""

ANYWHERE = frozenset({"unlink", "rmdir", "rmtree", "write_text", "write_bytes", "touch", "mkdir"})
"""Of them, those that hardly anything else than a path has."""

CONNECTIONS = word_set(
    """requests.Session requests.session httpx.Client httpx.AsyncClient aiohttp.ClientSession
    urllib3.PoolManager urllib3.HTTPConnectionPool urllib.request.build_opener
    cloudscraper.create_scraper requests_html.HTMLSession mechanize.Browser
    selenium.webdriver.Chrome selenium.webdriver.Firefox selenium.webdriver.Edge
    curl_cffi.requests.Session requests_toolbelt.sessions.BaseUrlSession"""
)
"""What makes things whose methods reach other machines."""
REACHING = word_set(
    """get post put patch delete head options request stream open urlopen ws_connect send
    goto navigate download"""
)
SOCKETS = frozenset(
    [
        "socket.socket",
        "paramiko.SSHClient",
        "websocket.WebSocket",
        "smtplib.SMTP",
        "paho.mqtt.client.Client",
        "imaplib.IMAP4_SSL",
        "zmq.Context",
        "pymongo.MongoClient",
        "ftplib.FTP",
        "paramiko.Transport",
    ]
)
SENDING = frozenset(
    {"connect", "connect_ex", "sendto", "bind", "connect_async", "create_connection"}
)
READERS = word_set(
    """read_csv read_json read_html read_parquet read_excel read_table read_file imread
    load_dataset from_url open_dataset"""
)
HIDING_PREFIXES = ("ctypes.", "cffi.", "marshal.")
